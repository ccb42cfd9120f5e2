import { isTidying } from '../../src/managers/tidying.ts'
import type { Action } from '../../src/model/action.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import { known } from '../../src/model/observed.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { withoutAgent } from './simulated-agent.ts'
import { withApplied, withFilesAlone, withoutService, withRecordAlone, withStopped } from './simulated-host.ts'

/** The facts of a host after an action was done on it, as far as the action's own service goes. */
export function executed(facts: HostFacts, action: Action, { fleet, keys }: PlanInput): HostFacts {
  const service = fleet.hosts
    .flatMap((host) => host.services)
    .find((one) => `${one.host}/${one.name}` === `${action.host}/${action.service}`)
  if (service === undefined) throw new Error(`there is no service for ${action.id}`)
  const key = keys.get(`${service.host}/${service.name}`)
  const applied = { fleet, service, key: key?.known === true ? key.value : undefined }
  const tidy = { ...facts, leftovers: withoutThoseOf(service.name, facts.leftovers) }
  if (action.kind === 'remove') return withoutService(tidy, service)
  if (action.momentary === true) return withApplied(tidy, { ...applied, running: false })
  if (action.kind === 'stop') return withStopped(tidy, service)
  if (action.starts) return withApplied(tidy, { ...applied, running: true })
  if (isTidying(action)) {
    const recorded = withRecordAlone(tidy, { ...applied, running: true })
    return action.changes.some(({ field }) => field === 'key_file') ? withoutKeyFile(recorded, service.name) : recorded
  }
  const runs = facts.http[service.name] !== undefined
  if (!runs) {
    const placed = withApplied(tidy, { ...applied, running: false })
    // What launchd is not told of, it does not know; what was loaded before is unloaded.
    return service.manager === 'launchd' ? { ...placed, launchd: withoutAgent(placed, service) } : placed
  }
  const written = withFilesAlone(tidy, { ...applied, running: true })
  // A unit's key file is read when it starts; a container may have it mounted.
  const needless = service.manager === 'systemd' && service.keyDelivery === 'inline'
  return needless ? withoutKeyFile(written, service.name) : written
}

/** Every action takes them along, whatever else it does. */
function withoutThoseOf(service: string, leftovers: HostFacts['leftovers']): HostFacts['leftovers'] {
  return Object.fromEntries(Object.entries(leftovers).filter(([path]) => !path.includes(`/${service}.`)))
}

function withoutKeyFile(facts: HostFacts, service: string): HostFacts {
  const gone = Object.keys(facts.keyFiles).filter((path) => path.includes(`/${service}.`))
  return { ...facts, keyFiles: { ...facts.keyFiles, ...Object.fromEntries(gone.map((path) => [path, known(null)])) } }
}
