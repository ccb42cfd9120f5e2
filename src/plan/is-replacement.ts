import type { Action } from '../model/action.ts'
import type { Service } from '../model/fleet.ts'
import type { StepGroup } from '../model/step.ts'
import { restartsCheaply } from '../servers/traits.ts'

/**
 * Whether an action replaces a running server and can undo that. A Kind B that was replaced is not started again to undo it: its rollback holds
 * nothing that would.
 *
 * @param inPieces another action of the plan took the server down for a while
 */
export function isReplacement({ kind }: Service, { interrupts, starts }: Action, group: StepGroup, inPieces: boolean): boolean {
  return restartsCheaply(kind) && (interrupts || inPieces) && starts && group.undo.some(({ server }) => server)
}
