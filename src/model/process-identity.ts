/**
 * One process among all that ever were, on whatever machine. Names of machines and process ids do not tell: both are given out again, and
 * containers of one machine share what it is called by.
 */
export interface ProcessIdentity {
  readonly pid: number
  /** When it started, as its system tells it: with `boot`, no other process with this pid has the same. */
  readonly start: string
  /** This start of the system; random, and new each time. */
  readonly boot: string
  /** Stays the same for as long as the system is installed; empty where it has none. */
  readonly machine: string
  /** Among which processes the pid counts: containers have their own. */
  readonly namespace: string
}
