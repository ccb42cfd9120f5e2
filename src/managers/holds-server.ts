import type { ServiceState } from './manager.ts'

/** Whether a server is there that to end would cost something: one that is paused goes on with all that it had warmed. */
export function holdsServer({ activity }: Pick<ServiceState, 'activity'>): boolean {
  return activity === 'running' || activity === 'paused'
}
