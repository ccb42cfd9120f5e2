import { InternalError } from '../../errors/converge-error.ts'
import { Secret, type SecretText } from '../../model/secret.ts'
import { controlCharacters, keyInNotation } from '../key-text.ts'

/** The format of unit files: systemd.syntax(7), systemd.unit(5) and systemd.service(5). */

export interface UnitSection {
  readonly name: 'Unit' | 'Service' | 'Timer' | 'Install'
  /** Directive and value, in order; one of the functions below has escaped the value. */
  readonly directives: readonly (readonly [name: string, value: SecretText])[]
}

export function unitText(comment: readonly string[], sections: readonly UnitSection[]): SecretText {
  const head = comment.map((line) => `# ${line}\n`).join('')
  const body = sections.flatMap(({ name, directives }): SecretText => {
    return [`\n[${name}]\n`, ...directives.flatMap(([directive, value]): SecretText => [`${directive}=`, ...value, '\n'])]
  })
  return [head, ...body]
}

/** Free text and paths, where only specifiers are expanded. */
export function plainValue(text: string): SecretText {
  return [oneLine(text).replaceAll('%', '%%')]
}

/**
 * Words of a command line, the program first. systemd reads a doubled `$` as a single one, except in the program's path; a colon before it
 * disables variables altogether (systemd 244 and newer).
 */
export function commandLine(words: readonly (string | Secret)[]): SecretText {
  const literal = String(words[0]).includes('$')
  const escape = literal ? inQuotes : withoutVariables
  return words.flatMap((word, index): SecretText => [index > 0 ? ' ' : literal ? ':' : '', ...commandWord(word, escape)])
}

/**
 * Why a unit cannot start the program at a path, in a few words; undefined: it can. Observed with systemd 252, whatever the quoting:
 * "Executable name contains special characters", "Executable path specifies a directory".
 */
export function programFault(path: string): string | undefined {
  if (/["'\\]/u.test(path)) return 'systemd starts no program with a quote or a backslash in its path'
  return path.endsWith('/') ? 'systemd treats a path with a trailing slash as a folder' : undefined
}

function commandWord(word: string | Secret, escape: (value: string) => string): SecretText {
  const isPlain = word instanceof Secret ? word.matches(plainWord) : plainWord.test(word)
  const text = word instanceof Secret ? keyInNotation(word, controlCharacters, escape) : escape(oneLine(word))
  return isPlain ? [text] : ['"', text, '"']
}

/** One assignment for `Environment=`, where `$` is an ordinary character. */
export function assignment(name: string, value: string | Secret): SecretText {
  const isPlain = value instanceof Secret ? value.matches(plainWord) : plainWord.test(value)
  const text = value instanceof Secret ? keyInNotation(value, controlCharacters, inQuotes) : inQuotes(oneLine(value))
  return isPlain ? [`${name}=`, text] : [`"${name}=`, text, '"']
}

/** Needs no quoting. */
const plainWord = /^[\w@%+=:,./$-]+$/

/** One line of an environment file, which has quotes and backslashes, but neither specifiers nor variables. */
export function environmentFileLine(name: string, value: Secret): SecretText {
  const text = keyInNotation(value, controlCharacters, (key) => key.replace(/["\\$`]/g, '\\$&'))
  return [`${name}="`, text, '"\n']
}

function withoutVariables(text: string): string {
  return doubled(inQuotes(text), '$')
}

function inQuotes(text: string): string {
  return doubled(text.replace(/["\\]/g, '\\$&'), '%')
}

function doubled(text: string, sign: '%' | '$'): string {
  return text.split(sign).join(sign + sign)
}

/** The inventory's schema forbids line breaks; one would change the unit. */
function oneLine(text: string): string {
  if (controlCharacters.test(text))
    throw new InternalError(`a value with a control character reached a unit: ${JSON.stringify(text)}`)
  return text
}
