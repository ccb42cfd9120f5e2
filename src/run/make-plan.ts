import { defined } from '../lib/defined.ts'
import { globMatches } from '../lib/glob.ts'
import { hostItself } from '../model/action.ts'
import type { Host, Service } from '../model/fleet.ts'
import type { Operations } from '../model/operation.ts'
import type { Plan } from '../model/plan.ts'
import type { Approval } from '../model/playbook.ts'
import type { RegistryAnswers } from '../model/registry.ts'
import { planFleet } from '../plan/plan-fleet.ts'
import type { HubAnswers } from '../simulate/fetch/sources.ts'
import type { Observation, PlanningRun } from './planning-run.ts'
import type { SelectedPlay } from './plays.ts'

/** The part of a run that planning needs. */
export interface Planner extends Pick<PlanningRun, 'open' | 'keys' | 'factsFolder'> {
  readonly context: Pick<PlanningRun['context'], 'now'>
}

/** Limits on interruptions, for every play. */
export interface Limits {
  /** From `--wait-idle`. */
  readonly waitIdleS?: number
  /** From `--max-downtime`. */
  readonly maxDowntimeS?: number
}

export interface PlanRequest extends Limits {
  readonly plays: readonly SelectedPlay[]
  /** From `--allow`, for every play. */
  readonly approvals: readonly Approval[]
  /** Ids of the allowed actions; absent: all. */
  readonly agreed?: readonly string[]
  /** What is asked of services by name; absent: the inventory is applied. */
  readonly operations?: Operations
  /** The hubs' answers about model sources; absent: none was asked. */
  readonly hubs?: HubAnswers
  /** What registries have: only versions are moved. Absent: this is no upgrade. */
  readonly registries?: RegistryAnswers
}

/** The options, in milliseconds. */
export interface LimitOptions {
  readonly waitIdle?: number | undefined
  readonly maxDowntime?: number | undefined
}

/** The options in whole seconds: a wait is rounded up, a limit down. */
export function limitsOf({ waitIdle, maxDowntime }: LimitOptions): Limits {
  return {
    ...(waitIdle === undefined ? {} : { waitIdleS: Math.ceil(waitIdle / 1000) }),
    ...(maxDowntime === undefined ? {} : { maxDowntimeS: Math.floor(maxDowntime / 1000) }),
  }
}

/** The limits in saved plans and journals. */
export interface NotedLimits {
  readonly wait_idle_s?: number
  readonly max_downtime_s?: number
}

export function noted({ waitIdleS, maxDowntimeS }: Limits): NotedLimits {
  return defined({ wait_idle_s: waitIdleS, max_downtime_s: maxDowntimeS })
}

export function readNoted({ wait_idle_s: waitIdleS, max_downtime_s: maxDowntimeS }: NotedLimits): Limits {
  return defined({ waitIdleS, maxDowntimeS })
}

/** The rest of a play. */
export interface PlayRemainder {
  readonly play: SelectedPlay
  readonly actions: readonly string[]
}

/** Every host of every play, in the order of selection. */
export function hostsOf(run: Planner, plays: readonly SelectedPlay[]): readonly Host[] {
  const selected = new Set(plays.flatMap((play) => play.hosts))
  return run.open.hosts.filter((host) => selected.has(host))
}

/**
 * Makes one plan for all plays: a host is planned as a whole, so that actions of different plays are judged together.
 *
 * @param only plans only the services of this play, and allows only these actions, by id; everything else is observed and left
 *   unchanged
 */
export function makePlan(run: Planner, request: PlanRequest, facts: Observation, only?: PlayRemainder): Plan {
  const owners = ownersOf(run, request.plays)
  const agreed = only?.actions ?? request.agreed
  const pairs = [...owners].filter(([, owner]) => only === undefined || owner === only.play).map(([pair]) => pair)
  return planFleet({
    fleet: run.open.fleet,
    facts,
    keys: run.keys,
    ...defined({ hubs: request.hubs, operations: request.operations, registries: request.registries }),
    selection: {
      hosts: hostsOf(run, request.plays).flatMap(({ name }) => (facts.has(name) ? [name] : [])),
      services: ['*'],
      pairs: new Set(request.agreed === undefined ? pairs : pairs.filter((pair) => isAgreed(pair, request.agreed ?? []))),
      ...(agreed === undefined ? {} : { agreed: new Set(agreed) }),
    },
    approvals: [...request.plays.flatMap((play) => approvalsOf(run, play)), ...request.approvals],
    ...defined({ waitIdleS: request.waitIdleS, maxDowntimeS: request.maxDowntimeS, factsFolder: run.factsFolder }),
    now: run.context.now().toISOString(),
  })
}

/** Settings of a machine itself are agreed as a whole, not action by action. */
function isAgreed(pair: string, agreed: readonly string[]): boolean {
  return !pair.endsWith(`/${hostItself}`) || agreed.some((id) => id.startsWith(`${pair}/`))
}

/** By `host/service`, `hostItself` among the services: the first play that selects it; a later one finds it done. */
export function ownersOf(run: Planner, plays: readonly SelectedPlay[]): ReadonlyMap<string, SelectedPlay> {
  const owners = new Map<string, SelectedPlay>()
  for (const play of plays) for (const pair of pairsOf(run, play)) if (!owners.has(pair)) owners.set(pair, play)
  return owners
}

/** The services of the plays. */
export function servicesOf(run: Planner, plays: readonly SelectedPlay[]): readonly Service[] {
  const planned = ownersOf(run, plays)
  return run.open.hosts.flatMap((host) => host.services).filter(({ host, name }) => planned.has(`${host}/${name}`))
}

function pairsOf(run: Planner, play: SelectedPlay): readonly string[] {
  const { services, settings, only } = play
  const pairs = hostsOf(run, [play]).flatMap((host) => {
    const names = host.services.map(({ name }) => name).filter((name) => services.includes(name))
    return [...(settings ? [hostItself] : []), ...names].map((name) => `${host.name}/${name}`)
  })
  return only === undefined ? pairs : pairs.filter((pair) => only.has(pair))
}

/** A play's approvals apply only to what the play selects. */
function approvalsOf(run: Planner, selected: SelectedPlay): readonly Approval[] {
  return selected.play.approvals.flatMap((approval) =>
    pairsOf(run, selected).flatMap((pair): Approval[] => {
      const [host = '', service = ''] = pair.split('/')
      const matches = globMatches(approval.service, service) && (approval.host === undefined || globMatches(approval.host, host))
      return matches ? [{ ...approval, service, host }] : []
    }),
  )
}

/** All approvals that the plan was made with. */
export function allApprovals({ plays, approvals }: PlanRequest): readonly Approval[] {
  return [...plays.flatMap(({ play }) => play.approvals), ...approvals]
}
