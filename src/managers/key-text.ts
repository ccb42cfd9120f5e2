import { ConvergeError } from '../errors/converge-error.ts'
import type { Secret } from '../model/secret.ts'

/** The closed key in another notation. Throws, without showing the key, if the notation cannot represent it. */
export function keyInNotation(key: Secret, refused: RegExp, write: (value: string) => string): Secret {
  if (!key.matches(refused)) return key.rewritten(write)
  throw new ConvergeError('DEFINITION.KEY', {
    summary: 'An API key contains a character that its file cannot hold.',
    why: `The key from ${key.origin} holds a control character, a quote, a backslash or a \`$\` that its file cannot represent.`,
    next: ['Choose a key of letters, digits, `-` and `_`: openssl rand -hex 32'],
  })
}

/** Characters that would end a line or that a parser would drop. */
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
export const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/
