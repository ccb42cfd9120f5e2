import { planAgain } from '../apply/describe-failure.ts'
import type { HostTask } from '../apply/host-task.ts'
import type { PreparedAction } from '../apply/prepared-action.ts'
import { ConvergeError, InternalError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { ownMember } from '../lib/own-member.ts'
import { ownershipLabelOf } from '../managers/ownership-label.ts'
import { isTidying } from '../managers/tidying.ts'
import { type Action, hostItself, recordField } from '../model/action.ts'
import type { AppliedRecord } from '../model/applied-record.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host, Service } from '../model/fleet.ts'
import { approvalsUsed } from '../model/journal.ts'
import { isLockDead } from '../model/lock-lease.ts'
import type { WantedState } from '../model/names.ts'
import type { HostPlan } from '../model/plan.ts'
import { beyondShown } from '../plan/beyond-shown.ts'
import { newlyOverruled } from '../plan/compare-plans.ts'
import { isReplacement } from '../plan/is-replacement.ts'
import { unfinishedRun } from '../policy/rules/host-in-doubt.ts'
import { restored } from '../policy/rules/host-restored.ts'
import { unconfirmed } from '../policy/rules/host-unconfirmed.ts'
import { restartsCheaply } from '../servers/traits.ts'
import { compileSettings } from '../settings/compile-settings.ts'
import { askedPort } from '../simulate/asked-port.ts'
import { digestOfDefinition } from '../simulate/digest.ts'
import { chatOf } from '../simulate/downtime.ts'
import { effectiveHost } from '../simulate/effective-host.ts'
import { openCase, renderInputOf, type ServiceCase, stepsOf } from '../simulate/service-case.ts'
import type { SpeedLimit } from '../verify/smoke-deps.ts'
import type { ActingRun } from './acting-run.ts'
import { idleWait } from './idle-wait.ts'
import { makePlan, type PlanRequest } from './make-plan.ts'
import type { SelectedPlay } from './plays.ts'
import { proveService } from './prove-service.ts'

export interface TaskInput {
  readonly run: ActingRun
  readonly runId: string
  readonly request: PlanRequest
  readonly host: Host
  readonly facts: HostFacts
  /** The planned and approved actions of the host. */
  readonly plan: HostPlan
  /** The current play: only its services are planned again. */
  readonly play: SelectedPlay
  /** The host's share of this play. */
  readonly actions: readonly Action[]
  /** The run waits for another run on the host. */
  readonly waits: boolean
  /** Whether a service of the host belongs to this play and not to an earlier one. */
  readonly owns: (service: string) => boolean
  /** Services of the interrupted run that this one finishes. */
  readonly unproved: readonly string[]
}

/** The work on one host: gather facts and plan again before anything is sent, prove afterwards. */
export async function createHostTask(input: TaskInput): Promise<HostTask> {
  const { run, host, facts, actions, plan } = input
  const { services } = hostAsPlanned(input, facts)
  let latest = facts
  return {
    host: host.name,
    transport: await run.connections.to(host),
    root: rootOf(facts),
    actions,
    ...unfinished(input),
    approvals: approvalsUsed({ hosts: [plan] }),
    prepare: async (remaining) => {
      latest = await run.observeOne(host)
      return prepareActions(input, latest, remaining)
    },
    timers: {
      reconnect: () => run.connections.anew(host),
      look: async () => {
        latest = await run.observeOne(host)
        return latest.rollbackTimers
      },
      canProve: (name) => services.some((one) => one.name === name && restartsCheaply(one.kind) && one.state === 'running'),
      starts: (name) => plan.actions.some(({ service, starts }) => service === name && starts),
      reported: restored(facts).map(({ id }) => id),
      // After a wait for another run, the host may have timers of that run.
      ...(input.waits ? {} : { shown: unconfirmed(facts).map(({ id }) => id) }),
    },
    verify: (name, level) =>
      proveService(run, {
        host,
        service: serviceOf({ ...host, services }, name),
        level,
        facts: latest,
        coRunApproved: plan.consented.some((one) => one.code === 'CORUN.SECOND_KIND_A' && one.service === name),
        ...defined({ speed: speedLimit(input, serviceOf(host, name)) }),
      }),
  }
}

/** The host with the states that this run brings its services to. */
function hostAsPlanned({ host, request: { operations, registries }, owns }: TaskInput, facts: HostFacts): Host {
  if (operations === undefined) return effectiveHost(host, facts, registries === undefined ? { applies: owns } : {})
  return effectiveHost(host, facts, { operationOf: (service) => operations.get(`${host.name}/${service}`) })
}

/** Its own history: the first chat of its last tested start with this model. Undefined: none is recorded, or the play does not compare. */
function speedLimit({ facts, play, actions }: TaskInput, service: Service): SpeedLimit | undefined {
  const { maxSlowdown } = play.play
  const beforeS = chatOf({ facts, service })
  const isStarted = actions.some((one) => one.service === service.name && one.starts)
  if (maxSlowdown === undefined || beforeS === undefined || !isStarted) return undefined
  return { beforeS, maxSlowdown, again: restartsCheaply(service.kind) ? 1 : 0 }
}

/**
 * What an interrupted run may have left unproved on the host: if it left its lock, all running services of this play;
 * otherwise those in the host's log. A service that was removed from the inventory cannot be proved.
 */
function unfinished(input: TaskInput): Pick<HostTask, 'unfinished'> {
  const { facts, plan, actions, owns, unproved, waits } = input
  const host = hostAsPlanned(input, facts)
  const died = facts.lock.known && facts.lock.value !== null && isLockDead(facts.lock.value)
  const names = new Set(host.services.map(({ name }) => name))
  const left = (unfinishedRun(facts)?.services ?? []).filter((name) => owns(name) || (!names.has(name) && name !== hostItself))
  const guarded = [...unconfirmed(facts), ...restored(facts)].map(({ service }) => service)
  const running = new Set(host.services.filter(({ state }) => state === 'running').map(({ name }) => name))
  const asPlanned = plan.actions.map(({ service }) => service).filter((name) => running.has(name) && owns(name))
  // A record is written only for a proved service.
  const unrecorded = actions
    .filter(({ changes }) => changes.some(({ field }) => field === recordField))
    .map(({ service }) => service)
  const doubted = new Set([...left, ...unproved, ...unrecorded, ...guarded])
  const prove = [...new Set(asPlanned)].filter((name) => died || doubted.has(name))
  const concerned = died || left.length + prove.length + guarded.length > 0 || (waits && isLocked(facts))
  return concerned ? { unfinished: { prove, left } } : {}
}

/** Another run holds the lock and may change more than this plan has seen. */
function isLocked({ lock }: HostFacts): boolean {
  return lock.known && lock.value !== null
}

/**
 * Only actions in both plans are run; an action that is no longer needed is skipped. An action that will not run (it failed, or was not
 * planned) frees no resources for others.
 */
function prepareActions(input: TaskInput, facts: HostFacts, remaining: readonly Action[]): readonly PreparedAction[] {
  const { run, host, request, play } = input
  const actions = remaining.map(({ id }) => id)
  const again = makePlan(run, request, new Map([[host.name, facts]]), { play, actions })
  const [now] = again.hosts
  if (now === undefined) throw new InternalError(`the second plan has no host ${host.name}`)
  return remaining.flatMap((action) => prepareAction(input, { facts, now }, action))
}

/**
 * The rules of the new plan have just judged whether a port will be free. A container may have been created by this run meanwhile: the
 * command that acts checks its owner.
 */
const leftToRules = ['free_port', 'container'] as const

function prepareAction(
  input: TaskInput,
  { facts, now }: { readonly facts: HostFacts; readonly now: HostPlan },
  planned: Action,
): readonly PreparedAction[] {
  const { run, runId, actions, plan, request } = input
  const host = hostAsPlanned(input, facts)
  const action = now.actions.find((one) => one.id === planned.id)
  if (action === undefined)
    return planned.momentary === true || isDown(planned, now) || isDone(planned, now)
      ? []
      : [{ action: planned, problem: stale(planned, whyNotNow(planned, now)) }]
  const own = now.consented.filter((one) => one.service === action.service)
  const beyond = [...beyondShown(planned, action, leftToRules), ...newlyOverruled(plan, { host: host.name, consented: own })]
  if (beyond.length > 0) return [{ action: planned, problem: stale(planned, beyond) }]
  const { fleet } = run.open
  if (action.service === hostItself) return [{ action, group: compileSettings(action, fleet, host, facts) }]
  const subject = openCase(fleet, host, serviceOf(host, planned.service), { facts, keys: run.keys })
  const group = stepsOf(subject, action)
  const inPieces = actions.some(({ service, temporary }) => service === planned.service && temporary !== undefined)
  const extra = {
    ...idleWait(run, { ...subject, port: askedPort(subject.fleet, host, subject.service, facts) }, action),
    ...(isReplacement(subject.service, action, group, inPieces) ? { replaces: true as const } : {}),
  }
  // A setting may be applied although another change is refused; the record stays valid.
  if (action.kind === 'host-setting') return [{ action, group }]
  const { state } = serviceOf(input.host, planned.service)
  const about = { runId, state, appliedAt: run.context.now().toISOString(), ...refusedOf(plan, planned.service) }
  const record =
    request.operations === undefined ? recordOf(subject, action, about) : recordAfterOperation(subject, action, about)
  return [{ action, group, ...extra, ...defined({ record }) }]
}

/** Whether the host is already in the desired state. Any other reason for a missing action stops it. */
function isDone(planned: Action, now: HostPlan): boolean {
  const others = [...now.actions, ...(now.held_back ?? [])].filter(
    (one) =>
      one.service === planned.service && one.kind !== 'noop' && (one.kind !== 'host-setting' || planned.kind === 'host-setting'),
  )
  const refused = now.refusals.some((one) => one.service === planned.service || one.service === undefined)
  return now.reachable && others.length === 0 && !refused
}

/** The server to stop temporarily is already down, and the new plan starts it too. */
function isDown({ temporary, service }: Action, { actions }: HostPlan): boolean {
  const own = actions.filter((one) => one.service === service)
  return temporary !== undefined && own.some(({ starts }) => starts) && !own.some(({ interrupts }) => interrupts)
}

function whyNotNow(planned: Action, now: HostPlan): readonly string[] {
  const refusals = now.refusals.filter((one) => one.actions.includes(planned.id) || one.service === planned.service)
  if (refusals.length > 0) return refusals.map((one) => `it is refused now (${one.code}): ${one.why}`)
  const instead = now.actions.filter((one) => one.service === planned.service && one.kind !== 'noop').map((one) => one.kind)
  if (instead.length > 0) return [`the host now needs ${instead.join(' and ')}, not ${planned.kind}`]
  const frees = planned.interrupts && !planned.starts
  return [frees ? 'it would only make room for an action that will not be done' : 'a refusal on the host now holds it back']
}

/** The refused changes of a service, which its record lists as waiting. */
function refusedOf({ held_back = [] }: HostPlan, service: string): Pick<AppliedRecord, 'waits'> {
  const fields = held_back.filter((one) => one.service === service).flatMap(({ changes }) => changes.map(({ field }) => field))
  return fields.length === 0 ? {} : { waits: [...new Set(fields)] }
}

interface AboutRecord extends Pick<AppliedRecord, 'runId' | 'appliedAt' | 'waits'> {
  /** As the inventory says. */
  readonly state: WantedState
}

/** The record of a service for the host; null once the service is removed. */
function recordOf(subject: ServiceCase, action: Action, about: AboutRecord): AppliedRecord | null {
  if (action.kind === 'remove' || action.kind === 'release') return null
  const render = renderInputOf(subject)
  // Without its key only a stop is possible, which leaves the recorded definition.
  if (render === undefined) return recordedBefore(subject)
  const { key: _key, source: _source, host: _host, override: _override, ...service } = subject.service
  const { state, ...record } = about
  return {
    service: subject.service.name,
    mark: ownershipLabelOf(subject.fleet.settings.org, subject.service.name),
    ...record,
    ...(adoptedIn(subject, action) ?? { definitionDigest: digestOfDefinition(subject.manager.render(render).definition) }),
    // Operations and overrides are not what was applied.
    wanted: { ...service, state },
    ...overrideIn(subject),
    ...measuredBefore(subject),
  }
}

/** An operation applies nothing: what was applied stays recorded, with the override as it is now. Undefined: there is no record to change. */
function recordAfterOperation(subject: ServiceCase, action: Action, about: AboutRecord): AppliedRecord | undefined {
  const before = recordedBefore(subject)
  if (before === null) return action.starts ? (recordOf(subject, action, about) ?? undefined) : undefined
  const { override: _override, ...applied } = before
  return { ...applied, ...overrideIn(subject) }
}

function overrideIn({ service }: ServiceCase): Pick<AppliedRecord, 'override'> {
  if (service.override === undefined) return {}
  const { inventory: _inventory, ...override } = service.override
  return { override }
}

/** A definition that stays the user's own. */
function adoptedIn({ state }: ServiceCase, action: Action): Pick<AppliedRecord, 'definitionDigest' | 'adopted'> | undefined {
  const digest = state.known ? state.value.definitionDigest : null
  const stays =
    digest !== null && (action.kind !== 'update' || isTidying(action)) && action.relies_on.definition_digest === digest
  const isOwn = state.known && (action.kind === 'adopt' || state.value.definition === 'adopted')
  return stays && isOwn ? { definitionDigest: digest, adopted: true } : undefined
}

function measuredBefore(subject: ServiceCase): Pick<AppliedRecord, 'warmup'> {
  const warmup = recordedBefore(subject)?.warmup
  return defined({ warmup })
}

function recordedBefore({ facts, service }: ServiceCase): AppliedRecord | null {
  return facts.applied.known ? (ownMember(facts.applied.value, service.name) ?? null) : null
}

function stale(action: Action, sentences: readonly string[]) {
  return new ConvergeError('APPLY.STALE', {
    summary: 'The host has changed since the plan was made. This action was not done.',
    why: `On ${action.host}, ${action.service}: ${sentences.join('; ')}.`,
    next: [planAgain(action)],
  }).toProblem()
}

function serviceOf(host: Host, name: string): Service {
  const service = host.services.find((one) => one.name === name)
  if (service === undefined) throw new InternalError(`${host.name} has no service ${name}`)
  return service
}

function rootOf(facts: HostFacts): string {
  if (!facts.layout.known) throw new InternalError(`${facts.host} was planned although its layout is unknown`)
  return facts.layout.value.root
}
