/** An account of the host. */
export interface AccountFact {
  readonly name: string
  readonly uid: number
  readonly home: string
  /** By path: whether it can read, or execute, what was asked about. A missing file, and what could not be tried, is absent. */
  readonly access: Readonly<Record<string, boolean>>
}
