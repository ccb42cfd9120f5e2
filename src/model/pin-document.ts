import type { NextStep } from './next-step.ts'
import type { SourceRef } from './source.ts'

/** What `converge pin --json` prints. */
export interface PinDocument {
  readonly schema: 'converge/pin/v1'
  readonly pins: readonly Pin[]
  readonly failures: readonly PinFailure[]
  /** Sources that have a commit already, and were not asked about. */
  readonly pinned: number
  /** Whether the commits stand in the inventory now. */
  readonly written: boolean
}

/** One place of the inventory, and the commit for it. */
export interface Pin {
  readonly hub: string
  readonly repo: string
  /** What stood there: a branch or tag, or with `--update` an older commit. */
  readonly from: string
  readonly commit: string
  /** Of the model there: how many, and how large together. */
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
