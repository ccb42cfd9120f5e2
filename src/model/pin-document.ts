import type { NextStep } from './next-step.ts'
import type { SourceRef } from './source.ts'

/** What `converge pin --json` prints. */
export interface PinDocument {
  readonly schema: 'converge/pin/v1'
  readonly pins: readonly Pin[]
  readonly failures: readonly PinFailure[]
  /** Number of sources that already have a commit, and were not asked about. */
  readonly pinned: number
  /** Whether the inventory contains the commits now. */
  readonly written: boolean
}

/** One position in the inventory, and its new commit. */
export interface Pin {
  readonly hub: string
  readonly repo: string
  /** The previous value: a branch or tag, or with `--update` an older commit. */
  readonly from: string
  readonly commit: string
  /** Number and total size of the model's files there. */
  readonly files: number
  readonly bytes: number
  readonly at: SourceRef
  /** `service@host`, in the inventory's order. */
  readonly services: readonly string[]
}

export interface PinFailure {
  readonly hub: string
  readonly repo: string
  readonly revision: string
  readonly code: string
  readonly why: string
  readonly next: readonly NextStep[]
  readonly services: readonly string[]
}
