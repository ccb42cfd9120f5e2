import { hostBug } from '../errors/host-bug.ts'
import type { HostOverview } from '../model/overview.ts'

/** A bug with one host leaves the report of the others complete. */
export function hostOverview(host: string, make: () => HostOverview): HostOverview {
  try {
    return make()
  } catch (error) {
    return { host, reachable: false, problem: hostBug(host, error).toProblem(), tone: 'bad', services: [] }
  }
}
