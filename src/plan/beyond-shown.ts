import type { Action, Preconditions } from '../model/action.ts'
import { exceeds } from './exceeds.ts'
import { changedPreconditions } from './preconditions.ts'
import { stepsBeyond } from './steps-beyond.ts'

/**
 * What an action would do now beyond what was shown of it, or rely on instead, as sentences; empty: it is within what was shown. Steps are
 * compared only where nothing else differs: they differ because of that.
 *
 * @param now the same action in a plan that was made just now
 * @param passedOver preconditions that something else judges
 */
export function beyondShown(shown: Action, now: Action, passedOver: readonly (keyof Preconditions)[] = []): readonly string[] {
  const differs = [...changedPreconditions(shown.relies_on, now.relies_on, passedOver), ...exceeds(shown, now)]
  return differs.length > 0 ? differs : stepsBeyond(shown.steps, now.steps)
}
