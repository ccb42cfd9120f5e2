/**
 * Asked on the host every `watchEveryS` as long as a script runs; when it says no, the process group is ended, connected or not. It is
 * sh for the body of a function that answers with `return`, called again and again in one shell: what it sets stays set.
 */
export interface Watch {
  /** Stands in the arguments of the shells that run the script, so that whoever looks at the host's processes finds them; no secret. */
  readonly tag: string
  readonly script: string
  readonly args: readonly string[]
}

export const watchEveryS = 2

/** Seconds after which nothing of a script is left whose watch says no: a look, the request to end, the end, and some patience. */
export const watchedEndS = 6
