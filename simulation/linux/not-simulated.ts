/** Something that a real box would do and this one cannot; whoever asked must not take it for an answer. */
export class NotSimulated extends Error {
  constructor(what: string) {
    super(`not simulated: ${what}`)
  }
}
