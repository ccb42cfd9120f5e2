import type { SourceRef } from './source.ts'

/** Something wrong or doubtful in a file that people wrote. */
export interface InventoryIssue {
  readonly severity: 'error' | 'warning'
  /** What `converge explain` knows it by. */
  readonly code: string
  /** Full sentences: what is wrong, what was probably meant, what to do. Never a secret. */
  readonly message: string
  readonly at: SourceRef
  /** The line itself; absent where the issue is about a whole file or folder, then `at` is its first line, and where nothing of the file may be shown. */
  readonly excerpt?: Excerpt
}

/** Lines out of a file, ready to be shown: secrets are replaced by `***`. */
export interface Excerpt {
  /** Number of the first line, from 1. */
  readonly firstLine: number
  readonly lines: readonly string[]
  /** The last of the lines is the one that matters; what to mark in it, counted from 0. */
  readonly from: number
  readonly to: number
}
