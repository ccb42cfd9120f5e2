/** What a person wrote in `hosts:` or `--limit`, taken apart but not yet held against an inventory. */
export interface HostPattern {
  readonly text: string
  /** In the order in which they stand; when they count is decided by `op`. */
  readonly terms: readonly HostTerm[]
}

export interface HostTerm {
  /** As written, the operator included. */
  readonly text: string
  readonly op: 'union' | 'intersect' | 'exclude'
  readonly wanted: WantedNames
  /** Which of the matches, in inventory order; absent: all of them. */
  readonly subscript?: Subscript
  readonly position: TermPosition
}

/** `name`: this host or group alone. */
export type WantedNames =
  | { readonly by: 'name'; readonly name: string }
  | { readonly by: 'glob'; readonly glob: string }
  | { readonly by: 'regex'; readonly source: string }

/** `index` counts from the end when it is negative; `last` is included, absent: up to the end. */
export type Subscript = { readonly index: number } | { readonly first: number; readonly last?: number }

/** Where a term was read. Columns and lines count from 1. */
export type TermPosition =
  | { readonly pattern: string; readonly column: number }
  | { readonly file: string; readonly line: number }
