import { type ActionResult, failedLater } from '../model/report.ts'

export interface ActionCounts {
  readonly applied: number
  readonly notNeeded: number
  /** Without those that only failed later. */
  readonly failed: number
  /** Failed actions that changed something and were not rolled back. */
  readonly partlyDone: number
  /** Done, and undone for the failure of a later action. */
  readonly rolledBack: number
  /** Done, and still so, although a later action failed. */
  readonly notRolledBack: number
  readonly notRun: number
  readonly refused: number
}

/** Actions by how they ended, as summaries count them. */
export function countActions(actions: readonly ActionResult[]): ActionCounts {
  const count = (isMeant: (result: ActionResult) => boolean) => actions.filter(isMeant).length
  const withStatus = (status: ActionResult['status']) => count((result) => result.status === status && !failedLater(result))
  return {
    applied: withStatus('applied'),
    notNeeded: withStatus('not-needed'),
    failed: withStatus('failed'),
    partlyDone: count((result) => !failedLater(result) && isPartlyDone(result)),
    rolledBack: count((result) => failedLater(result) && result.undone === 'restored'),
    notRolledBack: count((result) => failedLater(result) && result.undone !== 'restored'),
    notRun: withStatus('not-run'),
    refused: withStatus('refused'),
  }
}

function isPartlyDone({ status, done, undone }: ActionResult): boolean {
  return status === 'failed' && done.length > 0 && !(undone !== undefined && asBefore.has(undone))
}

const asBefore: ReadonlySet<string> = new Set(['restored', 'not-needed', 'left-to-host'] satisfies ActionResult['undone'][])
