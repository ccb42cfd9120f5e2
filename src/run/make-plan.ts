import { defined } from '../lib/defined.ts'
import { globMatches } from '../lib/glob.ts'
import { hostItself } from '../model/action.ts'
import type { Host, Service } from '../model/fleet.ts'
import type { Plan } from '../model/plan.ts'
import type { Approval } from '../model/playbook.ts'
import { planFleet } from '../plan/plan-fleet.ts'
import type { HubAnswers } from '../simulate/fetch/sources.ts'
import type { Observation, PlanningRun } from './planning-run.ts'
import type { SelectedPlay } from './plays.ts'

/** What of a run planning needs. */
export interface Planner extends Pick<PlanningRun, 'open' | 'keys' | 'factsFolder'> {
  readonly context: Pick<PlanningRun['context'], 'now'>
}

/** What an interruption may cost, for every play. */
export interface Limits {
  /** From `--wait-idle`. */
  readonly waitIdleS?: number
  /** From `--max-downtime`. */
  readonly maxDowntimeS?: number
}

export interface PlanRequest extends Limits {
  readonly plays: readonly SelectedPlay[]
  /** From `--allow`; they hold for every play. */
  readonly approvals: readonly Approval[]
  /** Ids of the actions that may be done; absent: any. */
  readonly agreed?: readonly string[]
  /** What hubs say of the sources of models; absent: none was asked. */
  readonly hubs?: HubAnswers
}

/** The options as they were given, in milliseconds. */
export interface LimitOptions {
  readonly waitIdle?: number | undefined
  readonly maxDowntime?: number | undefined
}

/** What the options ask for; of a wait begun seconds count as whole ones, of a limit they do not count. */
export function limitsOf({ waitIdle, maxDowntime }: LimitOptions): Limits {
  return {
    ...(waitIdle === undefined ? {} : { waitIdleS: Math.ceil(waitIdle / 1000) }),
    ...(maxDowntime === undefined ? {} : { maxDowntimeS: Math.floor(maxDowntime / 1000) }),
  }
}

/** As a saved plan and a journal have them. */
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

/** What is left of a play. */
export interface Remaining {
  readonly play: SelectedPlay
  readonly actions: readonly string[]
}

/** Every host of every play, in the order in which hosts were selected. */
export function hostsOf(run: Planner, plays: readonly SelectedPlay[]): readonly Host[] {
  const wanted = new Set(plays.flatMap((play) => play.hosts))
  return run.open.hosts.filter((host) => wanted.has(host))
}

/**
 * One plan for all plays: a host is planned as a whole, so that what one play starts is judged beside what another one does.
 *
 * @param only the one play whose services are planned, and of it the actions that may still be done, by their ids; everything else is
 *   looked at and left alone
 */
export function makePlan(run: Planner, request: PlanRequest, facts: Observation, only?: Remaining): Plan {
  const owners = ownersOf(run, request.plays)
  const agreed = only?.actions ?? request.agreed
  const pairs = [...owners].filter(([, owner]) => only === undefined || owner === only.play).map(([pair]) => pair)
  return planFleet({
    fleet: run.open.fleet,
    facts,
    keys: run.keys,
    ...defined({ hubs: request.hubs }),
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

/** What is done to a machine itself is not judged action by action. */
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
  const { services, settings } = play
  return hostsOf(run, [play]).flatMap((host) => {
    const names = host.services.map(({ name }) => name).filter((name) => services.includes(name))
    return [...(settings ? [hostItself] : []), ...names].map((name) => `${host.name}/${name}`)
  })
}

/** A play's approvals hold for what the play selects, and for nothing else. */
function approvalsOf(run: Planner, selected: SelectedPlay): readonly Approval[] {
  return selected.play.approvals.flatMap((approval) =>
    pairsOf(run, selected).flatMap((pair): Approval[] => {
      const [host = '', service = ''] = pair.split('/')
      const matches = globMatches(approval.service, service) && (approval.host === undefined || globMatches(approval.host, host))
      return matches ? [{ ...approval, service, host }] : []
    }),
  )
}

/** All leave that the plan was made with. */
export function allApprovals({ plays, approvals }: PlanRequest): readonly Approval[] {
  return [...plays.flatMap(({ play }) => play.approvals), ...approvals]
}
