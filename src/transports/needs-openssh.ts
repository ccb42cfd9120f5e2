/** Thrown while a connection is prepared: the built-in client does not support it, but the user's own ssh may. Never leaves this folder. */
export class NeedsOpenSsh extends Error {
  /** Completes `because …`. */
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.name = 'NeedsOpenSsh'
    this.reason = reason
  }
}
