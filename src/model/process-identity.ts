/**
 * Identifies one process among all processes of all machines. Machine names and pids are not enough: both are reused, and containers on one
 * machine share its name.
 */
export interface ProcessIdentity {
  readonly pid: number
  /** Its start as the system reports it: with `boot`, unique for this pid. */
  readonly start: string
  /** The boot of the system; random, and new each time. */
  readonly boot: string
  /** Stable as long as the system is installed; empty if it has none. */
  readonly machine: string
  /** The pid namespace: containers have their own. */
  readonly namespace: string
}
