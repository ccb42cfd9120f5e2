/** What the shell offers. */
export type Answer = { readonly candidates: readonly Candidate[] } | FilesAnswer

export interface Candidate {
  /** The whole word at the cursor, completed. */
  readonly value: string
  readonly about: string
  /** More of the same word may follow, so no blank does. */
  readonly isOpen?: boolean
}

/** The shell completes a path. */
export interface FilesAnswer {
  readonly paths: 'files' | 'folders'
  /** Only files with these endings; empty: any. */
  readonly endings: readonly string[]
  /** What stands before the path in the word at the cursor. */
  readonly prefix: string
}
