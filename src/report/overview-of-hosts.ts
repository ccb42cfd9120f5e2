import { defined } from '../lib/defined.ts'
import { hostItself } from '../model/action.ts'
import type { HostOverview, Overview } from '../model/overview.ts'
import type { HostsDocument } from './hosts-text.ts'
import type { Surroundings } from './overview-of-plan.ts'

/** The selected part of an inventory, by host and service. Nothing was observed. */
export function overviewOfHosts(
  { pattern, hosts: listed }: HostsDocument,
  inventory: string,
  { version, issues, whereabouts }: Surroundings,
): Overview {
  const hosts = listed.map(({ host, groups, services }): HostOverview => {
    const own = groups.filter((group) => group !== 'all')
    const itself = { service: hostItself, state: own.length === 0 ? 'in no group' : `in ${own.join(', ')}` }
    const each = services.map((service) => ({
      service,
      state: 'in the inventory',
      ...defined({ at: whereabouts(host, service) }),
    }))
    const about = { tone: 'good', actions: [], findings: [] } as const
    return { host, reachable: true, tone: 'good', services: [itself, ...each].map((one) => ({ ...about, ...one })) }
  })
  const count = listed.reduce((sum, { services }) => sum + services.length, 0)
  const headline = `${hosts.length} ${hosts.length === 1 ? 'host' : 'hosts'} with ${count} ${count === 1 ? 'service' : 'services'} (${pattern}). No host was contacted.`
  return { verb: 'hosts', inventory, headline, tone: 'good', version, hosts, issues }
}
