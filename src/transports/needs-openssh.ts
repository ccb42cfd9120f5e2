/** Thrown while a connection is prepared: the built-in client cannot make it, the user's own ssh may. Never leaves this folder. */
export class NeedsOpenSsh extends Error {
  /** In words that complete `because …`. */
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.name = 'NeedsOpenSsh'
    this.reason = reason
  }
}
