/** A parsed `hosts:` or `--limit`, not yet matched with an inventory. */
export interface HostPattern {
  readonly text: string
  /** In the written order; `op` decides the order of evaluation. */
  readonly terms: readonly HostTerm[]
}

export interface HostTerm {
  /** As written, the operator included. */
  readonly text: string
  readonly op: 'union' | 'intersect' | 'exclude'
  readonly wanted: WantedNames
  /** Selects some of the matches, in inventory order; absent: all. */
  readonly subscript?: Subscript
  readonly position: TermPosition
}

/** `name`: only this host or group. */
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
