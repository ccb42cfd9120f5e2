import { ConvergeError, InternalError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import { defined } from '../lib/defined.ts'
import { globMatches } from '../lib/glob.ts'
import { lengthOfTexts } from '../lib/length-of-texts.ts'
import { converge } from '../lib/next-command.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import type { Operations } from '../model/operation.ts'
import type { FactsFrom, HostPlan, Plan, PlanSummary, Problem, ServiceDowntime } from '../model/plan.ts'
import type { Approval } from '../model/playbook.ts'
import type { RegistryAnswers } from '../model/registry.ts'
import { withDigest } from '../simulate/digest.ts'
import { type FleetFiles, filesOfFleet } from '../simulate/fetch/neighbours.ts'
import type { HubAnswers } from '../simulate/fetch/sources.ts'
import type { Keys } from '../simulate/service-case.ts'
import { freezeDeep } from './freeze-deep.ts'
import { type HostQuestion, planHost, planUnseen, unreachableHost } from './plan-host.ts'

export interface PlanInput {
  readonly fleet: Fleet
  /** By host name: its facts, or why there are none. */
  readonly facts: ReadonlyMap<string, HostFacts | Problem>
  /** By `host/service`; a service whose key is not in it counts as one whose key is not available. */
  readonly keys: Keys
  /** The answers of hubs about model sources; absent: none was asked. */
  readonly hubs?: HubAnswers
  /** Only versions are moved, to what registries have; absent: this is no upgrade. */
  readonly registries?: RegistryAnswers
  readonly selection: Selection
  readonly approvals: readonly Approval[]
  /** What a person asks of services, by `host/service`: exactly these actions are planned. Absent: what the inventory says. */
  readonly operations?: Operations
  /** Seconds that an action may wait until the server that it interrupts is idle; absent: it does not wait. */
  readonly waitIdleS?: number
  /** The longest downtime allowed for a running service; absent: no limit. */
  readonly maxDowntimeS?: number
  /** The folder of the facts snapshots; absent: the hosts were contacted. */
  readonly factsFolder?: string
  /** ISO 8601; the time of the plan, which decides whether approvals have expired. */
  readonly now: string
}

/** The selected part of the fleet. */
export interface Selection {
  /** Host names, each with facts. */
  readonly hosts: readonly string[]
  /** Globs; a service is planned if any of them matches. */
  readonly services: readonly string[]
  /** `host/service`: nothing else is planned; absent: whatever the globs select. */
  readonly pairs?: ReadonlySet<string>
  /** Ids of the actions that may be done. The others make no room for them. Absent: any. */
  readonly agreed?: ReadonlySet<string>
}

/**
 * The plan of the selected hosts, with its refusals. Pure and synchronous: the same input gives the same plan. The plan is frozen.
 */
export function planFleet(input: PlanInput): Plan {
  const selected = input.fleet.hosts.filter((host) => input.selection.hosts.includes(host.name))
  const fleetFiles = filesOfFleet(input.fleet.hosts, input.facts)
  const hosts = selected.map((host) => planGuarded(host, input, fleetFiles))
  const { path, digest } = input.fleet
  const plan = {
    schema: 'converge/plan/v1',
    inventory: { path, digest },
    ...factsFrom(input.factsFolder, hosts),
    summary: summaryOf(hosts),
    hosts,
  } as const
  return freezeDeep(withDigest(plan, input.now))
}

/** A bug or an oversized plan of one host does not affect the other hosts. */
function planGuarded(host: Host, input: PlanInput, fleetFiles: FleetFiles): HostPlan {
  const seen = input.facts.get(host.name)
  if (seen === undefined) throw new InternalError(`the selected host ${host.name} was neither gathered nor found unreachable`)
  try {
    return bounded(
      'salt' in seen ? planSelected(host, seen, { ...input, fleetFiles }) : planUnseen(questionOf(host, input), seen),
    )
  } catch (error) {
    return unreachableHost(host.name, hostBug(host.name, error).toProblem())
  }
}

/** Plans of some hundred services are this large. */
const mostCharacters = 8 * 1024 * 1024

/** @throws ConvergeError `FACTS.TOO_LARGE` */
function bounded(plan: HostPlan): HostPlan {
  if (lengthOfTexts(plan) <= mostCharacters) return plan
  throw new ConvergeError('FACTS.TOO_LARGE', {
    summary: 'The plan for this host is too large. Nothing is planned for it.',
    why: `Its commands repeat names and paths that ${plan.host} reported, and exceed ${mostCharacters} characters.`,
    next: [
      converge(['facts', '--limit', plan.host], { say: 'See its facts:' }),
      'Or plan fewer of its services at once with `--service`.',
    ],
  })
}

function planSelected(host: Host, seen: HostFacts, input: PlanInput & { readonly fleetFiles: FleetFiles }): HostPlan {
  const plan = planHost({ ...questionOf(host, input), fleetFiles: input.fleetFiles }, seen)
  return input.factsFolder === undefined ? plan : { ...plan, facts_gathered_at: seen.gatheredAt }
}

function questionOf(
  host: Host,
  { fleet, keys, hubs, registries, selection, approvals, operations, waitIdleS, maxDowntimeS, now }: Omit<PlanInput, 'facts'>,
): HostQuestion {
  const selects = (service: string) =>
    selection.services.some((glob) => globMatches(glob, service)) && selection.pairs?.has(`${host.name}/${service}`) !== false
  const { agreed } = selection
  const upgrade = registries && { registry: registries.get(host.name) ?? {} }
  return {
    fleet,
    host,
    keys,
    approvals: { given: approvals, now },
    selects,
    ...(operations === undefined ? {} : { operationOf: (service: string) => operations.get(`${host.name}/${service}`) }),
    ...defined({ agreed, waitIdleS, maxDowntimeS, hubs, upgrade }),
  }
}

/** The age of the facts snapshots of these hosts; empty if the hosts were contacted. */
export function factsFrom(
  folder: string | undefined,
  hosts: readonly { readonly facts_gathered_at?: string }[],
): { readonly facts_from?: FactsFrom } {
  if (folder === undefined) return {}
  const times = hosts.flatMap(({ facts_gathered_at: at }) => at ?? []).toSorted()
  const [oldest] = times
  const newest = times.at(-1)
  return { facts_from: oldest === undefined || newest === undefined ? { folder } : { folder, oldest, newest } }
}

/** The totals of a plan. */
export function summaryOf(hosts: readonly HostPlan[]): PlanSummary {
  const total = { changes: 0, refusals: 0, warnings: 0, unreachable: 0 }
  const interrupted: ServiceDowntime[] = []
  for (const { actions, refusals, warnings, reachable, downtime = [] } of hosts) {
    total.changes += actions.filter(({ kind }) => kind !== 'noop').length
    total.refusals += refusals.length
    total.warnings += warnings.length
    total.unreachable += reachable ? 0 : 1
    interrupted.push(...downtime)
  }
  return { hosts: hosts.length, ...total, ...downtimeSummary(interrupted) }
}

function downtimeSummary(all: readonly ServiceDowntime[]): Pick<PlanSummary, 'downtime'> {
  if (all.length === 0) return {}
  const known = all.flatMap(({ seconds }) => seconds ?? [])
  const longest = known.length === 0 ? null : known.reduce((most, seconds) => Math.max(most, seconds), 0)
  return { downtime: { services: all.length, longest_s: longest, unknown: all.length - known.length } }
}

/** The totals of several plans. */
export function totalOf(summaries: readonly PlanSummary[]): PlanSummary {
  const sum = (count: (summary: PlanSummary) => number) => summaries.reduce((total, one) => total + count(one), 0)
  const downtimes = summaries.flatMap(({ downtime }) => downtime ?? [])
  const longest = downtimes.flatMap(({ longest_s: seconds }) => seconds ?? [])
  const downtime = {
    services: downtimes.reduce((total, { services }) => total + services, 0),
    longest_s: longest.length === 0 ? null : Math.max(...longest),
    unknown: downtimes.reduce((total, { unknown }) => total + unknown, 0),
  }
  return {
    hosts: sum(({ hosts }) => hosts),
    changes: sum(({ changes }) => changes),
    refusals: sum(({ refusals }) => refusals),
    warnings: sum(({ warnings }) => warnings),
    unreachable: sum(({ unreachable }) => unreachable),
    ...(downtimes.length === 0 ? {} : { downtime }),
  }
}
