import type { Action, Preconditions } from '../model/action.ts'
import { exceeds } from './exceeds.ts'
import { changedPreconditions } from './preconditions.ts'
import { stepsBeyond } from './steps-beyond.ts'

/**
 * What an action would now do beyond what was shown, or rely on instead, as sentences. Empty: it is within what was shown. Steps are compared
 * only if nothing else differs, because other differences change the steps.
 *
 * @param now the same action in a new plan
 * @param passedOver preconditions that are checked elsewhere
 */
export function beyondShown(shown: Action, now: Action, passedOver: readonly (keyof Preconditions)[] = []): readonly string[] {
  const differs = [...changedPreconditions(shown.relies_on, now.relies_on, passedOver), ...exceeds(shown, now)]
  return differs.length > 0 ? differs : stepsBeyond(shown.steps, now.steps)
}
