import { controlCharacters, keyInNotation } from '../../managers/key-text.ts'
import type { Secret, SecretText } from '../../model/secret.ts'

/** `NAME='value'` for a POSIX shell, which plain values need no quotes for. Other readers of such files take plain values alike. */
export function assignment(name: string, value: string): string {
  return `${name}=${/^[\w./,@:-]+$/.test(value) ? value : `'${quoted(value)}'`}\n`
}

/** The same for a text with keys. */
export function secretAssignment(name: string, value: SecretText): SecretText {
  return [`${name}='`, ...value.map((piece) => (typeof piece === 'string' ? quoted(piece) : closed(piece))), "'\n"]
}

function closed(key: Secret): Secret {
  return keyInNotation(key, controlCharacters, quoted)
}

function quoted(text: string): string {
  return text.replaceAll("'", String.raw`'\''`)
}
