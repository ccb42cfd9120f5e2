/** A supervisor's answer about whether a server lives. */
export interface LifeSign {
  /** `unknown` never counts as dead. */
  readonly state: 'alive' | 'dead' | 'unknown'
  /** Restarts by its supervisor, if it counts them. */
  readonly restarts?: number
  /** For people: `exited with 1`. */
  readonly detail: string
}
