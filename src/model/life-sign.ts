/** What a supervisor says of whether a server lives. */
export interface LifeSign {
  /** `unknown` is never taken for dead. */
  readonly state: 'alive' | 'dead' | 'unknown'
  /** How often its supervisor has restarted it, where it counts. */
  readonly restarts?: number
  /** For people: `exited with 1`. */
  readonly detail: string
}
