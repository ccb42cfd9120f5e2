import type { Problem } from '../model/plan.ts'
import type { Check } from '../model/step.ts'

/** How a step failed. */
export type StepFailure =
  /** The host has changed since the plan; nothing was done. */
  | { readonly kind: 'guard'; readonly check: Check; readonly said: string }
  /** This run lost the lock; nothing was done, and nothing more may be. */
  | { readonly kind: 'lock-lost' }
  /** A file was not written; it is unchanged. */
  | { readonly kind: 'file'; readonly path: string; readonly reason: string; readonly said: string }
  /** It ran and failed; part of it may have been done. */
  | { readonly kind: 'exit'; readonly exitCode: number; readonly said: string }
  /** The expected state was not reached in time. */
  | { readonly kind: 'not-in-time'; readonly check: Check; readonly timeoutMs: number; readonly said: string }
  /** Its intent could not be journalled; nothing was done. */
  | { readonly kind: 'not-journalled'; readonly at: 'controller' | 'host'; readonly said: string }
  /** It was not sent: the server that it would interrupt is busy, or could not be asked (`lost`). */
  | { readonly kind: 'held-back'; readonly problem: Problem; readonly lost: boolean }
  /** It was waiting when the run was interrupted. */
  | { readonly kind: 'interrupted' }
  /** Its outcome is unknown. */
  | { readonly kind: 'in-doubt'; readonly why: string; readonly said: string; readonly connection?: Problem }

/** Whether this step may have changed the host. */
export function mayHaveActed(failure: StepFailure): boolean {
  return failure.kind === 'exit' || failure.kind === 'in-doubt'
}

/** Whether the host can still be reached for a rollback, and this run may still act. */
export function canUndoAfter(failure: StepFailure): boolean {
  if (failure.kind === 'held-back') return !failure.lost
  return failure.kind !== 'lock-lost' && !(failure.kind === 'in-doubt' && failure.connection !== undefined)
}
