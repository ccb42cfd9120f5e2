import type { Action } from './action.ts'

/** Whether an action needs a proof that its server works: it starts the server, or takes over one that runs. */
export function mustWork({ starts, kind, relies_on }: Pick<Action, 'starts' | 'kind' | 'relies_on'>): boolean {
  return starts || (kind === 'adopt' && relies_on.process !== null)
}
