import type { Service } from '../model/fleet.ts'

/** Whether converge brings the service to a state. It leaves an unmanaged one alone, and removes an absent one. */
export function isManagedService({ state }: Pick<Service, 'state'>): boolean {
  return state === 'running' || state === 'stopped'
}
