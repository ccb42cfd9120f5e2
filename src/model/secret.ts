/**
 * A value that prints, inspects and serialises as `***`. Only the files that `test/architecture.test.ts` lists may call `reveal()`: to send
 * it, to hash it, or to write it where its owner asked for it.
 */
export class Secret {
  readonly #value: string
  /** Its origin, for messages: `env CODER_KEY`, `file ~/x.key`. Never the value. */
  readonly origin: string

  constructor(value: string, origin: string) {
    this.#value = value
    this.origin = origin
  }

  reveal(): string {
    return this.#value
  }

  /** Whether its value matches (`does it contain a comma?`), for rules that judge a key without opening it. */
  matches(pattern: RegExp): boolean {
    return pattern.test(this.#value)
  }

  /**
   * The same secret in another notation (quoted, escaped, with a prefix). It stays closed: `rewrite` must be a pure function of text and must not
   * store its input.
   */
  rewritten(rewrite: (value: string) => string): Secret {
    return new Secret(rewrite(this.#value), this.origin)
  }

  toString(): string {
    return '***'
  }

  toJSON(): string {
    return '***'
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return 'Secret(***)'
  }
}

/**
 * Replaces a secret that was not resolved, if comparisons do not depend on its value: in a plan from a facts snapshot. It is no secret itself,
 * and always the same.
 */
export class StandIn extends Secret {
  constructor(origin: string) {
    super('not-asked-for', origin)
  }
}

/** Text with secrets, kept in pieces so that it can be shown (`***`) and sent (revealed) without accidentally becoming one string. */
export type SecretText = readonly (string | Secret)[]

/** The text for display. */
export function redactedText(text: SecretText): string {
  return text.map(String).join('')
}
