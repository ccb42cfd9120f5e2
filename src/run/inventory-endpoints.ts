import type { EndpointList } from '../endpoints/endpoint.ts'
import { type EndpointQuestion, listEndpoints } from '../endpoints/list-endpoints.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { didYouMean } from '../inventory/did-you-mean.ts'
import { converge } from '../lib/next-command.ts'
import type { OpenFleet } from './open-fleet.ts'

/**
 * The endpoints of the selected services, in the order of the inventory whatever the pattern.
 *
 * @throws ConvergeError `USAGE.UNKNOWN_HOST` if the inventory has no host `on`
 */
export function endpointsOf({ fleet, hosts, selects }: OpenFleet, question: Omit<EndpointQuestion, 'selects'>): EndpointList {
  const { on } = question
  if (on !== undefined && !fleet.hosts.some(({ name }) => name === on))
    throw noSuchHost(
      on,
      fleet.hosts.map(({ name }) => name),
    )
  const selected = new Set(hosts.map(({ name }) => name))
  return listEndpoints(fleet, { ...question, selects: (service) => selected.has(service.host) && selects(service) })
}

function noSuchHost(on: string, known: readonly string[]): ConvergeError {
  return new ConvergeError('USAGE.UNKNOWN_HOST', {
    summary: 'There is no such host.',
    why: `--on names ${on}, which is no host of the inventory.${didYouMean(on, known)}`,
    next: [converge(['hosts'], { note: 'lists the hosts' })],
  })
}
