import type { Action } from '../../src/model/action.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { withApplied, withFilesAlone, withoutService, withStopped } from './simulated-host.ts'

/** The facts of a host after an action was done on it, as far as the action's own service goes. */
export function executed(facts: HostFacts, action: Action, { fleet, keys }: PlanInput): HostFacts {
  const service = fleet.hosts
    .flatMap((host) => host.services)
    .find((one) => `${one.host}/${one.name}` === `${action.host}/${action.service}`)
  if (service === undefined) throw new Error(`there is no service for ${action.id}`)
  const key = keys.get(`${service.host}/${service.name}`)
  const applied = { fleet, service, key: key?.known === true ? key.value : undefined }
  if (action.kind === 'remove') return withoutService(facts, service)
  if (action.kind === 'stop') return withStopped(facts, service)
  if (action.starts) return withApplied(facts, { ...applied, running: true })
  const runs = facts.http[service.name] !== undefined
  return runs ? withFilesAlone(facts, { ...applied, running: true }) : withApplied(facts, { ...applied, running: false })
}
