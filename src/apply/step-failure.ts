import type { Problem } from '../model/plan.ts'
import type { Check } from '../model/step.ts'

/** How a step ended that did not do what it should. */
export type StepFailure =
  /** Not what it was when the plan was made; nothing was done. */
  | { readonly kind: 'guard'; readonly check: Check; readonly said: string }
  /** Our lock on the host is gone; nothing was done, and nothing more may be. */
  | { readonly kind: 'lock-lost' }
  /** A file was left exactly as it was. */
  | { readonly kind: 'file'; readonly path: string; readonly reason: string; readonly said: string }
  /** It ran and said no; part of it may have been done. */
  | { readonly kind: 'exit'; readonly exitCode: number; readonly said: string }
  /** What was waited for did not come about in time. */
  | { readonly kind: 'not-in-time'; readonly check: Check; readonly timeoutMs: number; readonly said: string }
  /** What it would do could not be written down; nothing was done. */
  | { readonly kind: 'not-journalled'; readonly at: 'controller' | 'host'; readonly said: string }
  /** It was not sent: the server that it would interrupt is in the middle of a request, or could not be asked (`lost`). */
  | { readonly kind: 'held-back'; readonly problem: Problem; readonly lost: boolean }
  /** It was only waiting, and nobody wants to wait any longer. */
  | { readonly kind: 'interrupted' }
  /** Whether it happened is not known. */
  | { readonly kind: 'in-doubt'; readonly why: string; readonly said: string; readonly connection?: Problem }

/** Whether the host can be other than before because of this step. */
export function mayHaveActed(failure: StepFailure): boolean {
  return failure.kind === 'exit' || failure.kind === 'in-doubt'
}

/** Whether the host can still be told to put things back, and we still may. */
export function canUndoAfter(failure: StepFailure): boolean {
  if (failure.kind === 'held-back') return !failure.lost
  return failure.kind !== 'lock-lost' && !(failure.kind === 'in-doubt' && failure.connection !== undefined)
}
