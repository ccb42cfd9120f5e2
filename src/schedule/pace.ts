import type { Action } from '../model/action.ts'

/**
 * About how long an action delays the following ones, in seconds. A server that is started or replaced is watched for a few seconds; converge
 * does not wait until it has warmed up.
 */
export function paceOf({ interrupts, starts }: Pick<Action, 'interrupts' | 'starts'>): number {
  return interrupts || starts ? 5 : 1
}
