/** What a hub came back with. A failure is an answer: what it would have said is unknown then, and never "none". */
export type HubAnswer<T> = { readonly ok: true; readonly value: T } | HubFailure

export interface HubFailure {
  readonly ok: false
  /**
   * `unreachable`: nobody answered, or too busily. `gated`: the account has not accepted its terms. `denied`: it wants a (better) token.
   * `absent`: no such repository or revision, or none that it shows to strangers. `unreadable`: what answered does not speak as a hub does.
   */
  readonly reason: 'unreachable' | 'gated' | 'denied' | 'absent' | 'unreadable'
  /** Behind "the hub cannot be asked: "; no text of the answer. */
  readonly detail: string
}
