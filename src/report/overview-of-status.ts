import { defined } from '../lib/defined.ts'
import type { Finding, HostOverview, Overview, ServiceOverview, Tone } from '../model/overview.ts'
import type { Problem } from '../model/plan.ts'
import { type Surroundings, type Whereabouts, worstTone } from './overview-of-plan.ts'
import { isAsWanted, type ServiceStatus } from './status-text.ts'

/** The state of services at one moment. */
export interface StatusSeen {
  readonly inventory: string
  /** ISO 8601. */
  readonly at: string
  /** All selected hosts; an unreachable one with its problem. */
  readonly hosts: readonly { readonly host: string; readonly problem?: Problem }[]
  readonly services: readonly ServiceStatus[]
}

/** The state of services, by host and service. What is not as wanted, or unknown, is a finding, as in a comparison. */
export function overviewOfStatus(
  { inventory, at, hosts: looked, services }: StatusSeen,
  { version, issues, whereabouts }: Surroundings,
): Overview {
  const hosts = looked.map(({ host, problem }): HostOverview => {
    const own = services.filter((one) => one.host === host).map((one) => overviewOfService(one, whereabouts))
    const reachable = problem === undefined
    const tone = reachable ? worstTone(own.map((one) => one.tone)) : 'bad'
    return { host, reachable, ...(reachable ? {} : { problem }), tone, services: own }
  })
  const tone = worstTone(hosts.map((host) => host.tone))
  return { verb: 'status', inventory, headline: headlineOf(services, hosts), tone, at, version, hosts, issues }
}

function headlineOf(services: readonly ServiceStatus[], hosts: readonly HostOverview[]): string {
  const unreachable = hosts.filter(({ reachable }) => !reachable).length
  const wanted = services.filter((one) => isKnown(one) && isAsWanted(one)).length
  const parts = [`${wanted} of ${services.length} ok`, ...(unreachable > 0 ? [`${unreachable} unreachable`] : [])]
  return `${parts.join(', ')} (${hosts.length} ${hosts.length === 1 ? 'host' : 'hosts'}).`
}

function isKnown({ state }: ServiceStatus): boolean {
  return state !== 'unknown' && state !== 'unreachable'
}

function overviewOfService(status: ServiceStatus, whereabouts: Whereabouts): ServiceOverview {
  const { host, service, state, health } = status
  const at = whereabouts(host, service)
  return {
    service,
    tone: toneOf(status),
    state: health === null ? state : `${state}, ${health}`,
    actions: [],
    findings: findingsOf(status),
    ...defined({ at }),
  }
}

function toneOf(status: ServiceStatus): Tone {
  const { state, health } = status
  if (state === 'unreachable' || state === 'failed') return 'bad'
  if (state === 'unknown') return 'doubt'
  if (!isAsWanted(status)) return 'pending'
  if (health === null || health === 'ready') return 'good'
  return health === 'loading' ? 'pending' : 'doubt'
}

function findingsOf(status: ServiceStatus): readonly Finding[] {
  const { wanted, state, notes } = status
  const found = { code: 'state', why: notes.join('; '), evidence: [], next: [] }
  if (state === 'unreachable') return []
  if (state === 'unknown') {
    return [{ ...found, level: 'not compared', summary: 'Unknown whether it runs.' }]
  }
  if (isAsWanted(status)) return []
  const values = { wanted, applied: null, here: state }
  return [{ ...found, level: 'pending', summary: 'It differs from the inventory.', values }]
}
