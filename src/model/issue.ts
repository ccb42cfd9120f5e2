import type { SourceRef } from './source.ts'

/** Something wrong or doubtful in a file of the user. */
export interface InventoryIssue {
  readonly severity: 'error' | 'warning'
  /** The code for `converge explain`. */
  readonly code: string
  /** Full sentences: what is wrong, what was probably meant, what to do. Never a secret. */
  readonly message: string
  readonly at: SourceRef
  /** The line itself; absent if the issue is about a whole file or folder (then `at` is its first line), or its content must not be shown. */
  readonly excerpt?: Excerpt
}

/** Lines of a file, ready to display: secrets are replaced by `***`. */
export interface Excerpt {
  /** Number of the first line, from 1. */
  readonly firstLine: number
  readonly lines: readonly string[]
  /** The range to highlight in the last line, which is the relevant one; counted from 0. */
  readonly from: number
  readonly to: number
}
