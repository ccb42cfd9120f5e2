/**
 * Evaluated on the host every `watchEveryS` while a script runs; on failure the process group is ended, connected or not. It is the body of a
 * sh function that answers with `return`, called repeatedly in one shell: its variables persist.
 */
export interface Watch {
  /** Appears in the arguments of the script's shells, so that they can be found in the host's process list; not secret. */
  readonly tag: string
  readonly script: string
  readonly args: readonly string[]
}

export const watchEveryS = 2

/** Seconds after which a script whose watch failed is gone: one check, TERM, KILL, and a margin. */
export const watchedEndS = 6
