/** What waits on a host to put a replaced server back, or did, as `apply/rollback-timer-scripts.ts` leaves it. */
export interface RollbackTimer {
  readonly id: string
  /**
   * `armed` and `acting`: what it guards is not confirmed yet. `failed`: it tried to put it back, and could not. `spared`: somebody else had
   * changed the files, so it left all as it was.
   */
  readonly state: 'armed' | 'acting' | 'undone' | 'failed' | 'spared'
  readonly service: string
  /** Its process is there. Without it (the host was restarted) nothing is put back by itself. */
  readonly alive: boolean
  /** Its last look, or when it ended: seconds since the epoch by the host's own clock. */
  readonly at: number
  readonly owner: string
  readonly controller: string
  readonly runId: string
}

/** Seconds without a sign of life after which a host puts back what nobody confirmed: longer than a lock lives. */
export const rollbackAfterS = 180
