import { ConvergeError } from '../errors/converge-error.ts'
import type { Secret } from '../model/secret.ts'

/** The closed key in another notation; a key that the notation cannot carry is an error that does not show it. */
export function keyInNotation(key: Secret, refused: RegExp, write: (value: string) => string): Secret {
  if (!key.matches(refused)) return key.rewritten(write)
  throw new ConvergeError('DEFINITION.KEY', {
    summary: 'An API key contains a character that its file cannot hold.',
    why: `The key from ${key.origin} holds a control character, a quote, a backslash or a \`$\` where it cannot be written down unchanged.`,
    next: ['Choose a key of letters, digits, `-` and `_`: openssl rand -hex 32'],
  })
}

/** Everything that would end a line or be dropped by a parser. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
export const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/
