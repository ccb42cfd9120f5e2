import type { Action } from '../model/action.ts'

/**
 * About how long an action keeps the ones behind it waiting, seconds: a server that is started or replaced is watched for a few
 * seconds, and whether it has warmed up by then is not waited for.
 */
export function paceOf({ interrupts, starts }: Pick<Action, 'interrupts' | 'starts'>): number {
  return interrupts || starts ? 5 : 1
}
