/** The result of asking a hub. After a failure the answer is unknown, never "none". */
export type HubAnswer<T> = { readonly ok: true; readonly value: T } | HubFailure

export interface HubFailure {
  readonly ok: false
  /**
   * `unreachable`: no answer, or overloaded. `gated`: the account has not accepted its terms. `denied`: it requires a (better) token. `absent`: no
   * such repository or revision, or it is private. `unreadable`: the answer is not a hub's.
   */
  readonly reason: 'unreachable' | 'gated' | 'denied' | 'absent' | 'unreadable'
  /** Follows "the hub cannot be asked: "; contains no text of the answer. */
  readonly detail: string
}
