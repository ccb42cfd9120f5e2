/** A timer on a host that will roll back a replaced server, or did, as `apply/rollback-timer-scripts.ts` leaves it. */
export interface RollbackTimer {
  readonly id: string
  /**
   * `armed` and `acting`: the new server is not confirmed yet. `failed`: the rollback failed. `spared`: the files were changed meanwhile, so it left
   * everything alone.
   */
  readonly state: 'armed' | 'acting' | 'undone' | 'failed' | 'spared'
  readonly service: string
  /** Its process runs. Without it (the host was restarted) nothing is rolled back automatically. */
  readonly alive: boolean
  /** Its last poll, or when it ended: seconds since the epoch by the host's own clock. */
  readonly at: number
  readonly owner: string
  readonly controller: string
  readonly runId: string
}

/** Seconds without a heartbeat after which a host rolls back an unconfirmed server: longer than a lock lives. */
export const rollbackAfterS = 180
