import type { ServiceState } from './manager.ts'

/** Whether stopping it would lose something: a paused server resumes with its warm cache. */
export function holdsServer({ activity }: Pick<ServiceState, 'activity'>): boolean {
  return activity === 'running' || activity === 'paused'
}
