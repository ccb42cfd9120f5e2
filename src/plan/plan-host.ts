import { type Action, hostItself } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import type { HostPlan, Problem } from '../model/plan.ts'
import type { Leave } from '../policy/consents.ts'
import { rules } from '../policy/index.ts'
import type { Court, Verdict } from '../policy/judge.ts'
import { unconsented } from '../policy/judge-action.ts'
import { judgeKeepingServers } from '../policy/keep-old-server.ts'
import { mergeRefusals, refusalOf } from '../policy/refusal-of.ts'
import { type Hearing, hearService } from './hear-service.ts'
import { initialState } from './initial-state.ts'
import { planSettings, type SettingsPlan } from './plan-settings.ts'
import { type Candidate, preferredOrder } from './schedule.ts'
import { type Keys, openCase } from './service-case.ts'

/** What is asked about one host. */
export interface HostQuestion {
  readonly fleet: Fleet
  readonly host: Host
  readonly keys: Keys
  readonly leave: Leave
  /** Whether a service of the host is to be planned; the others are looked at and left alone. */
  readonly selects: (service: string) => boolean
  /** Whether an action, by its id, may be done; the others are held back. */
  readonly mayDo: (action: string) => boolean
  /** Seconds that an action may wait until the server that it interrupts is idle; absent: it does not wait. */
  readonly waitIdleS?: number
}

/**
 * Plans one host. Read this first:
 *
 * 1. every service of the host is looked at (`openCase`), because those that were not selected take ports and memory as well;
 * 2. each selected one is heard (`hearService`): is the wish sound, and how does the host differ from it;
 * 3. the resulting actions are done one by one on a simulated host, and every rule judges each of them (`judgeKeepingServers`);
 * 4. what the inventory sets of the machine itself is compared apart (`planSettings`);
 * 5. the host as it would be left is looked at for warnings.
 */
export function planHost(question: HostQuestion, facts: HostFacts): HostPlan {
  const { fleet, host, keys, leave, selects, mayDo } = question
  const cases = host.services.map((service) => openCase(fleet, host, service, { facts, keys }))
  const hearings = cases.filter(({ service }) => selects(service.name)).map((subject) => hearService(subject, leave))
  const court: Court = { leave, standing: new Map(hearings.map((one) => [one.subject.service.name, one.standing])) }
  const candidates = preferredOrder(hearings).map((one) => waiting(one, question))
  const agreed = candidates.filter(({ action }) => mayDo(action.id))
  const others = candidates.filter(({ action }) => !mayDo(action.id)).map(({ action }) => action)
  const verdict = judgeKeepingServers(agreed, initialState(facts, cases), court)
  const settings = selects(hostItself) ? planSettings(fleet, host, facts) : { actions: [], held_back: [], refusals: [] }
  return hostPlan(question, facts, { hearings, verdict, settings, others })
}

function waiting(candidate: Candidate, { waitIdleS }: HostQuestion): Candidate {
  const { action } = candidate
  if (waitIdleS === undefined || !action.interrupts) return candidate
  return { ...candidate, action: { ...action, wait_idle_s: waitIdleS } }
}

/** A host that could not be looked at: nothing is planned for it. */
export function unreachableHost(host: string, problem: Problem): HostPlan {
  return { host, reachable: false, problem, actions: [], held_back: [], refusals: [], warnings: [], consented: [] }
}

function hostPlan(
  { fleet, host }: HostQuestion,
  facts: HostFacts,
  {
    hearings,
    verdict,
    settings,
    others,
  }: {
    readonly hearings: readonly Hearing[]
    readonly verdict: Verdict
    readonly settings: SettingsPlan
    /** That nobody agreed to. */
    readonly others: readonly Action[]
  },
): HostPlan {
  const proposed = hearings.flatMap(({ proposal }) => proposal.actions)
  const standing = hearings.flatMap((hearing) => [...hearing.standing, ...hearing.undecided])
  const refused = verdict.refused.flatMap(({ refusals }) => refusals)
  const asLeft = rules.flatMap((rule) =>
    (rule.checkHost?.({ fleet, host, facts, after: verdict.after }) ?? []).map((finding) =>
      refusalOf(rule, finding, { host: host.name, actions: [] }),
    ),
  )
  return {
    host: host.name,
    reachable: true,
    actions: [
      ...settings.actions.filter((action) => !isNoop(action)),
      ...verdict.done.map(({ action }) => action),
      ...[...proposed, ...settings.actions].filter(isNoop),
    ],
    held_back: [
      ...settings.held_back,
      ...verdict.refused.map(({ candidate }) => candidate.action),
      ...verdict.waiting.map(({ action }) => action),
      ...others,
    ],
    refusals: mergeRefusals([...settings.refusals, ...refused, ...unconsented(standing)]),
    warnings: mergeRefusals([...hearings.flatMap((hearing) => hearing.warnings), ...verdict.warnings, ...asLeft]),
    consented: mergeRefusals(verdict.consented),
  }
}

function isNoop({ kind }: Action): boolean {
  return kind === 'noop'
}
