import { defined } from '../lib/defined.ts'
import { maskKeys } from '../lib/mask-keys.ts'
import type { KeyOrigin, ReadBack, ReadBackProblem, StartedServer } from './read-back.ts'
import type { ProgramRead } from './read-program.ts'
import { readSettings, type SettingsRead } from './read-settings.ts'
import { isOneLine } from './readings.ts'
import type { Settings } from './setting.ts'
import { flagWithValue, secretFlag, secretVariable } from './word-patterns.ts'

/** What a kind says about words and variables that set no field. */
export interface RestOfKind {
  /** Whether keys from several sources all count. Absent: the first one counts. */
  readonly keysAddUp?: true
  /** Why a word cannot be in `extra_args`, beyond what holds for all kinds; undefined: it can. */
  readonly faultOfWord: (flag: string) => RestFault | undefined
  readonly faultOfVariable: (name: string) => RestFault | undefined
  /** Whether the kind's program reads a variable of this name, wherever it comes from. */
  readonly isOwnVariable: (name: string) => boolean
}

export interface RestFault {
  readonly why: string
  /** The field that it concerns. */
  readonly field?: string
  /** Whether the next word is its value. */
  readonly valued?: true
  /** Whether its value is a secret, which no problem shows. */
  readonly secret?: true
}

/** Of a secret that is not the API key. */
export const secretFault: RestFault = { why: 'its value is a secret', secret: true }

/**
 * Reads what follows the program: settings, other words, other variables.
 *
 * @param prefix of variables; absent: unknown, or the kind has none
 */
export function readBackOf(started: StartedServer, program: ProgramRead, kind: Settings & RestOfKind, prefix?: string): ReadBack {
  if (program.args === undefined) return { fields: program.fields, unstated: [], problems: program.problems }
  const read = readSettings(kind, program.args, started, prefix)
  const words = restOfWords(read.rest, kind)
  const variables = restOfEnvironment(started, read, kind)
  const [key, ...others] = read.keys
  const keys = kind.keysAddUp === true ? others.map(problemOfKey) : []
  return {
    fields: {
      ...program.fields,
      ...read.fields,
      ...(words.kept.length === 0 ? {} : { extra_args: words.kept }),
      ...(Object.keys(variables.kept).length === 0 ? {} : { env: variables.kept }),
    },
    ...(key === undefined ? {} : { key }),
    unstated: read.unstated,
    problems: [...program.problems, ...read.problems, ...keys, ...words.problems, ...variables.problems],
  }
}

function problemOfKey({ name, path }: KeyOrigin): ReadBackProblem {
  return { word: path === undefined ? name : `${name} ${path}`, why: 'the server accepts several keys, and a service has one' }
}

interface Rest<T> {
  readonly kept: T
  readonly problems: readonly ReadBackProblem[]
}

function restOfWords(words: readonly string[], kind: RestOfKind): Rest<readonly string[]> {
  const kept: string[] = []
  const problems: ReadBackProblem[] = []
  let lastKept = -1
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const next = words[at + 1]
    const fault = faultOf(word, next, kind)
    if (fault === undefined) {
      kept.push(word)
      lastKept = at
      continue
    }
    // A value without its flag says nothing.
    const isValue = !word.startsWith('-') && lastKept === at - 1 && /^-[^=]*$/s.test(kept.at(-1) ?? '')
    const flag = isValue ? kept.splice(-1) : []
    const value = fault.valued === true && next !== undefined ? [next] : []
    at += value.length
    const seen = fault.secret === true ? word.replace(/=.*$/s, '') : maskKeys([...flag, word, ...value].join(' '))
    problems.push({ word: seen, why: fault.why, ...defined({ field: fault.field }) })
  }
  return { kept, problems }
}

function faultOf(word: string, next: string | undefined, { faultOfWord }: RestOfKind): RestFault | undefined {
  const [flag = ''] = word.split('=', 1)
  const own = word.startsWith('-') ? faultOfWord(flag) : undefined
  if (own !== undefined) return word === flag ? own : defined({ ...own, valued: undefined })
  if (secretFlag.test(word)) {
    // It may be a switch in spite of its name: the next flag is not its value.
    const valued = word === flag && next?.startsWith('-') === false
    return { ...secretFault, ...(valued ? { valued } : {}) }
  }
  const why = flagWithValue.test(word) ? 'it looks like a flag and a value in one word' : faultOfText(word)
  return why === undefined ? undefined : { why }
}

/** Why the inventory cannot contain a text; undefined: it can. */
function faultOfText(text: string): string | undefined {
  if (text.includes('***')) return 'its value is hidden'
  if (maskKeys(text) !== text) return 'it contains a secret'
  return isOneLine(text) ? undefined : 'it has characters that no definition can hold'
}

function restOfEnvironment(
  { env = {}, ownEnv }: StartedServer,
  { readVariables }: SettingsRead,
  { isOwnVariable, faultOfVariable }: RestOfKind,
): Rest<Readonly<Record<string, string>>> {
  const others = Object.entries(env).filter(([name]) => !readVariables.has(name) && (ownEnv === true || isOwnVariable(name)))
  const judged = others.map(([name, value]) => ({ name, value, problem: problemOf(name, value, faultOfVariable(name)) }))
  return {
    kept: Object.fromEntries(judged.flatMap(({ name, value, problem }) => (problem === undefined ? [[name, value]] : []))),
    problems: judged.flatMap(({ problem }) => problem ?? []),
  }
}

function problemOf(name: string, value: string, own: RestFault | undefined): ReadBackProblem | undefined {
  if (secretVariable.test(name)) return { word: name, why: secretFault.why }
  if (own !== undefined) return { word: `${name}=${maskKeys(value)}`, why: own.why, ...defined({ field: own.field }) }
  const why = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? faultOfText(value) : 'the inventory accepts no such name'
  return why === undefined ? undefined : { word: name, why }
}
