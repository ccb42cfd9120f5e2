import { shellSplit } from '../lib/shell-split.ts'
import { keywordOf } from './ssh-keyword.ts'
import type { WrittenHost } from './written-host.ts'

/** The variables with arguments for ssh, in the order in which Ansible puts them on its command line. */
export const variablesOfSsh = ['ansible_ssh_args', 'ansible_ssh_common_args', 'ansible_ssh_extra_args'] as const

/** One line for each of the variables that is set. */
export function sshArgumentsOf(written: WrittenHost): readonly string[] {
  return variablesOfSsh.flatMap((name) => written[name] ?? [])
}

/** Flags without a value that change how ssh connects, and not what it does then. ssh(1). */
const flags = /^-[46AaCKkqvXxYT]+$/u
/** Flags with a value, of the same sort: `-p 22`, `-p22`. */
const withValue = /^-[BbcFIiJlmop](?<value>.*)$/su

/** Options that take the connection away from converge, or put another command into it. ssh_config(5). */
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
 * What of a line is not understood, as a sentence; undefined where all of it is. What is let through is told to OpenSSH itself (`ssh -G`),
 * whose word decides where the connection goes: a jump host, a proxy command, a key.
 */
export function faultOfSshArguments(line: string): string | undefined {
  const words = shellSplit(line)
  if (words === undefined)
    return 'These arguments are split as a shell would, but no shell runs: put `;`, `|`, `&`, `<`, `>` and `#` in quotes.'
  for (const { word, isKnown, value } of optionsIn(words)) {
    if (!isKnown)
      return `\`${word}\` among the arguments for ssh is none that converge understands, and could change where it connects. Leave it out, or put it into ~/.ssh/config.`
    if (value === undefined) return `\`${word}\` at the end of the arguments for ssh lacks its value.`
    if (word.startsWith('-o') && foreignOptions.has(keywordOf(value)))
      return `\`${value}\` among the arguments for ssh would change what is run over the connection. Leave it out.`
  }
  return undefined
}

interface Option {
  readonly word: string
  readonly isKnown: boolean
  /** Undefined: nothing follows it. */
  readonly value: string | undefined
}

/** All but the flags. */
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

/** Arguments for ssh that have a keyword of ssh_config(5) as well, as far as a variable of the inventory has it too. */
const keywordOfFlag: Readonly<Record<string, string>> = { p: 'port', l: 'user', i: 'identityfile' }

/** What arguments that are understood set, by keywords of ssh_config(5) in small letters; the first value wins. */
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
