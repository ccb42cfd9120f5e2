/** A real box would do this and this one cannot; the caller must not take it for an answer. */
export class NotSimulated extends Error {
  constructor(what: string) {
    super(`not simulated: ${what}`)
  }
}
