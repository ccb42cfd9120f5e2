/** The holder of a host's lock. */
export interface LockHolder {
  readonly owner: string
  readonly controller: string
  readonly runId: string
  /** Seconds since the last heartbeat, by the host's own clock. */
  readonly ageS: number
  /** Its run was on the observing machine, and its process is proven to be gone; absent: unknown. */
  readonly died?: true
}

/** Seconds of silence by the host's own clock after which a lock is dead and the next run may take it over. */
export const lockTtlS = 120

/** Whether the lock is dead: its holder was silent long enough, or is proven to be gone. */
export function isLockDead({ ageS, died }: Pick<LockHolder, 'ageS' | 'died'>): boolean {
  return died === true || ageS >= lockTtlS
}
