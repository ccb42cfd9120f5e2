import { defined } from '../lib/defined.ts'
import { type Action, hostItself } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import type { Operation } from '../model/operation.ts'
import type { HostPlan, Problem, ServiceDowntime } from '../model/plan.ts'
import type { Refusal } from '../model/refusal.ts'
import { type Approvals, withApproval } from '../policy/approvals.ts'
import { rules } from '../policy/index.ts'
import { unapproved } from '../policy/judge-action.ts'
import { judgeUnseen } from '../policy/judge-inventory.ts'
import { mergeRefusals, refusalOf } from '../policy/refusal-of.ts'
import type { HostContext } from '../policy/rule.ts'
import type { Decision } from '../schedule/judge.ts'
import type { PolicyContext } from '../schedule/judge-candidate.ts'
import { agreedOn, type Candidate, preferredOrder } from '../schedule/schedule.ts'
import { scheduleHost } from '../schedule/schedule-host.ts'
import { downtimeOf } from '../simulate/downtime.ts'
import { effectiveHost } from '../simulate/effective-host.ts'
import { fetchPlan } from '../simulate/fetch/fetch-plan.ts'
import { type JudgedModel, judgeHost } from '../simulate/fetch/judge-host.ts'
import type { FleetFiles } from '../simulate/fetch/neighbours.ts'
import type { HubAnswers } from '../simulate/fetch/sources.ts'
import { initialState } from '../simulate/initial-state.ts'
import { type AskedOperation, type Keys, openCase, type ServiceUpgrade } from '../simulate/service-case.ts'
import { compileHost } from './compile-host.ts'
import { evaluateService, type ServiceEvaluation } from './evaluate-service.ts'
import { noSettings, planSettings, type SettingsPlan } from './plan-settings.ts'

/** The input for planning one host. */
export interface HostQuestion {
  readonly fleet: Fleet
  readonly host: Host
  readonly keys: Keys
  readonly approvals: Approvals
  /** Whether a service of the host is planned. The others are observed and left alone. */
  readonly selects: (service: string) => boolean
  /** What a person asks of a service; undefined: nothing. Absent: the inventory is applied. */
  readonly operationOf?: (service: string) => Operation | undefined
  /** Ids of the actions that may be done; the others are held back. Absent: any. */
  readonly agreed?: ReadonlySet<string>
  /** Seconds that an action may wait until the server that it interrupts is idle; absent: it does not wait. */
  readonly waitIdleS?: number
  /** The longest downtime allowed for a running service; absent: no limit. */
  readonly maxDowntimeS?: number
  /** The answers of hubs about model sources; absent: none was asked. */
  readonly hubs?: HubAnswers
  /** Only versions are moved, with what registries have; absent: this is no upgrade. */
  readonly upgrade?: ServiceUpgrade
  /** The model files of other hosts; absent: unknown. */
  readonly fleetFiles?: FleetFiles
}

/**
 * Plans one host. Read this first:
 *
 * 1. `openCase` observes every service of the host, because those that were not selected use ports and memory too;
 * 2. `evaluateService` evaluates each selected one: is it valid, and how does the host differ from it;
 * 3. `scheduleHost` does the resulting actions one by one on a simulated host, and every rule judges each of them;
 * 4. `planSettings` compares the settings of the machine itself;
 * 5. the host rules check the host as the plan leaves it.
 */
export function planHost(asked: HostQuestion, facts: HostFacts): HostPlan {
  const { operationOf } = asked
  const applies = operationOf === undefined && asked.upgrade === undefined ? asked.selects : () => false
  const question = { ...asked, host: effectiveHost(asked.host, facts, { applies, ...defined({ operationOf }) }) }
  const { fleet, host, keys, approvals, selects } = question
  const { hubs, fleetFiles } = question
  const models = judgeHost(host, {
    facts,
    selects: ({ name }) => selects(name),
    ...defined({ hubs, fleetFiles }),
  })
  const { upgrade } = question
  const cases = host.services.map((service) => {
    const operation = askedOperation(asked, service.name)
    return openCase(fleet, host, service, { facts, keys, models, ...defined({ asked: operation, upgrade }) })
  })
  const evaluations = cases.filter(({ service }) => selects(service.name)).map((subject) => evaluateService(subject, approvals))
  const { maxDowntimeS } = question
  const policy: PolicyContext = {
    approvals,
    violations: new Map(evaluations.map((one) => [one.subject.service.name, one.violations])),
    ...defined({ maxDowntimeS }),
  }
  const candidates = preferredOrder(evaluations).map((one) => waiting(one, question))
  const agreed = agreedOn(candidates, question.agreed)
  const may = new Set(agreed.map(({ action }) => action.id))
  const lost = candidates.filter(({ action }) => !may.has(action.id))
  const start = initialState(facts, cases)
  const { decision, downtimes } = scheduleHost({ candidates: agreed, lost }, start, policy)
  const settings = selects(hostItself) ? planSettings(fleet, host, facts, approvals) : noSettings
  return hostPlan(question, facts, {
    evaluations,
    decision,
    downtimes,
    settings,
    others: lost.map(({ action }) => action),
    models,
  })
}

function askedOperation({ host, operationOf }: HostQuestion, name: string): AskedOperation | undefined {
  const operation = operationOf?.(name)
  const service = host.services.find((one) => one.name === name)
  return operation === undefined || service === undefined ? undefined : { operation, inventory: service.state }
}

function waiting(candidate: Candidate, question: HostQuestion): Candidate {
  const { action, splitInto, subject } = candidate
  const { waitIdleS } = question
  if (waitIdleS === undefined || !action.interrupts) return candidate
  const downtime = downtimeOf(subject, { ...action, reliesOn: action.relies_on, waits: true })
  const waits = { ...candidate, action: { ...action, ...downtime, wait_idle_s: waitIdleS } }
  return splitInto === undefined ? waits : { ...waits, splitInto: splitInto.map((part) => waiting(part, question)) }
}

/**
 * An unreachable host: nothing is planned for it. Refusals that follow from the inventory alone are reported, although the service may run
 * already. Approvals of them count as unused, because there is no action. Warnings are not reported: a service with nothing but warnings would
 * look as if it were in its desired state.
 */
export function planUnseen({ fleet, host, approvals, selects }: HostQuestion, problem: Problem): HostPlan {
  const { refusals } = judgeUnseen(
    fleet,
    host,
    host.services.filter(({ name }) => selects(name)),
  )
  const violations = refusals.map((one) => withApproval(one, host.name, approvals))
  const unused = mergeRefusals(violations.filter(({ consent }) => consent !== undefined))
  return {
    ...unreachableHost(host.name, problem),
    refusals: mergeRefusals(unapproved(violations)),
    ...(unused.length === 0 ? {} : { approvals_unused: unused }),
  }
}

/** The plan of a host without facts. */
export function unreachableHost(host: string, problem: Problem): HostPlan {
  return { host, reachable: false, problem, actions: [], held_back: [], refusals: [], warnings: [], consented: [] }
}

/** The results of planning a host. */
interface HostOutcome {
  readonly evaluations: readonly ServiceEvaluation[]
  readonly decision: Decision
  readonly downtimes: readonly ServiceDowntime[]
  readonly settings: SettingsPlan
  /** Actions that were not agreed on. */
  readonly others: readonly Action[]
  readonly models: readonly JudgedModel[]
}

function hostPlan({ fleet, host }: HostQuestion, facts: HostFacts, outcome: HostOutcome): HostPlan {
  const { evaluations, decision, downtimes, settings, others, models } = outcome
  const settingActions = settings.actions.filter((action) => !isNoop(action))
  const compiled = compileHost({ fleet, host, facts }, settingActions, decision.done)
  const proposed = evaluations.flatMap(({ proposal }) => proposal.actions)
  const violations = evaluations.flatMap((evaluation) => [...evaluation.violations, ...evaluation.undecided])
  const refused = decision.refused.flatMap(({ refusals }) => refusals)
  const unused = [...settings.unused, ...unusedApprovals(violations, decision)]
  const asLeft = warningsAsLeft({ fleet, host, facts, after: decision.after })
  return {
    host: host.name,
    reachable: true,
    ...compiled,
    actions: [...compiled.actions, ...[...proposed, ...settings.actions].filter(isNoop)],
    held_back: [
      ...settings.held_back,
      ...decision.refused.map(({ candidate }) => candidate.action),
      ...decision.waiting.map(({ action }) => action),
      ...others,
    ],
    refusals: mergeRefusals([...settings.refusals, ...refused, ...unapproved(violations)]),
    warnings: mergeRefusals([...evaluations.flatMap((evaluation) => evaluation.warnings), ...decision.warnings, ...asLeft]),
    consented: mergeRefusals([...settings.consented, ...decision.consented]),
    ...(unused.length === 0 ? {} : { approvals_unused: unused }),
    ...(downtimes.length === 0 ? {} : { downtime: downtimes }),
    ...(models.length === 0 ? {} : { fetches: models.map(fetchPlan) }),
  }
}

/** Approvals that were given and overruled nothing. */
function unusedApprovals(violations: readonly Refusal[], { approved, consented }: Decision): readonly Refusal[] {
  const given = [...approved, ...violations.filter(({ consent }) => consent !== undefined)]
  return oncePerCode(given).filter((one) => !consented.some(({ code, service }) => code === one.code && service === one.service))
}

/** The warnings about a host as the plan leaves it. */
function warningsAsLeft(context: HostContext): readonly Refusal[] {
  const about = { host: context.host.name, actions: [] }
  return rules.flatMap((rule) => (rule.checkHost?.(context) ?? []).map((finding) => refusalOf(rule, finding, about)))
}

/** An approval is for a code and a service, even if the reasons differ between actions. */
function oncePerCode(refusals: readonly Refusal[]): readonly Refusal[] {
  const byCode = Map.groupBy(refusals, ({ code, service }) => `${code}@${service ?? ''}`)
  return [...byCode.values()].flatMap((same) => mergeRefusals(same).slice(0, 1))
}

function isNoop({ kind }: Action): boolean {
  return kind === 'noop'
}
