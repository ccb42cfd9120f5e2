import type { Action } from '../model/action.ts'
import type { Service } from '../model/fleet.ts'
import type { StepGroup } from '../model/step.ts'
import { restartsCheaply } from '../servers/traits.ts'

/**
 * Whether an action replaces a running server and can undo that. A replaced Kind B is not started again to undo it, so its rollback has no such
 * step.
 *
 * @param isSplit whether another action of the plan stops the server temporarily
 */
export function isReplacement(
  { kind }: Service,
  { interrupts, starts, ends }: Action,
  group: StepGroup,
  isSplit: boolean,
): boolean {
  // One that no supervisor ran cannot be started again as it was.
  return (
    restartsCheaply(kind) && ends === undefined && (interrupts || isSplit) && starts && group.undo.some(({ server }) => server)
  )
}
