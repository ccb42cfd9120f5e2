/** Who holds the lock of a host. */
export interface LockHolder {
  readonly owner: string
  readonly controller: string
  readonly runId: string
  /** Seconds since the last heartbeat, by the host's own clock. */
  readonly ageS: number
  /** Its run was one of the machine that looked, and its process is proved to be gone; absent: that is not known. */
  readonly died?: true
}

/** Seconds of silence by the host's own clock after which the lock of a run is dead and the next one may take it over. */
export const lockTtlS = 120

/** Whether nobody is at work under the lock any more: its holder was silent for long enough, or is proved to be gone. */
export function isLockDead({ ageS, died }: Pick<LockHolder, 'ageS' | 'died'>): boolean {
  return died === true || ageS >= lockTtlS
}
