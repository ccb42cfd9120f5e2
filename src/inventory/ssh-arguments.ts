import { shellSplit } from '../lib/shell-split.ts'
import { keywordOf } from './ssh-keyword.ts'
import type { WrittenHost } from './written-host.ts'

/** The variables with SSH arguments, in Ansible's order. */
export const variablesOfSsh = ['ansible_ssh_args', 'ansible_ssh_common_args', 'ansible_ssh_extra_args'] as const

/** The values of those that are set. */
export function sshArgumentsOf(written: WrittenHost): readonly string[] {
  return variablesOfSsh.flatMap((name) => written[name] ?? [])
}

/** Flags without a value that only change how ssh connects. ssh(1). */
const flags = /^-[46AaCKkqvXxYT]+$/u
/** The same with a value: `-p 22`, `-p22`. */
const withValue = /^-[BbcFIiJlmop](?<value>.*)$/su

/** Options that take over the connection or run another command on it. ssh_config(5). */
const foreignOptions: ReadonlySet<string> = new Set([
  'remotecommand',
  'sessiontype',
  'forkafterauthentication',
  'stdinnull',
  'localcommand',
  'permitlocalcommand',
  'tunnel',
])

/**
 * The unsupported part of a line, as a sentence; undefined if all of it is supported. OpenSSH itself (`ssh -G`) then evaluates the arguments and
 * decides where the connection goes: a jump host, a proxy command, a key.
 */
export function faultOfSshArguments(line: string): string | undefined {
  const words = shellSplit(line)
  if (words === undefined)
    return 'converge splits these arguments like a shell, but runs no shell: put `;`, `|`, `&`, `<`, `>` and `#` in quotes.'
  for (const { word, isKnown, value } of optionsIn(words)) {
    if (!isKnown)
      return `converge does not support \`${word}\` in SSH arguments, because it could change the connection. Remove it, or put it into ~/.ssh/config.`
    if (value === undefined) return `\`${word}\` at the end of the SSH arguments has no value.`
    if (word.startsWith('-o') && foreignOptions.has(keywordOf(value)))
      return `\`${value}\` in the SSH arguments would change what runs over the connection. Remove it.`
  }
  return undefined
}

interface Option {
  readonly word: string
  readonly isKnown: boolean
  /** Undefined: nothing follows it. */
  readonly value: string | undefined
}

/** The options without the flags. */
function optionsIn(words: readonly string[]): readonly Option[] {
  const options: Option[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (flags.test(word)) continue
    const inline = withValue.exec(word)?.groups?.['value']
    if (inline === '') at += 1
    options.push({ word, isKnown: inline !== undefined, value: inline === '' ? words[at] : inline })
  }
  return options
}

/** The ssh_config(5) keywords of flags that also have a variable in the inventory. */
const keywordOfFlag: Readonly<Record<string, string>> = { p: 'port', l: 'user', i: 'identityfile' }

/** The settings of supported arguments, by lower-case keywords of ssh_config(5); the first value wins. */
export function settingsOfSshArguments(line: string): ReadonlyMap<string, string> {
  const settings = new Map<string, string>()
  for (const { word, isKnown, value = '' } of optionsIn(shellSplit(line) ?? [])) {
    if (!isKnown) continue
    const isOption = word.startsWith('-o')
    const keyword = isOption ? keywordOf(value) : keywordOfFlag[word.charAt(1)]
    const text = isOption ? value.replace(/^\s*"?\w+"?[\s=]*/u, '') : value
    if (keyword !== undefined && !settings.has(keyword)) settings.set(keyword, text.trim())
  }
  return settings
}
