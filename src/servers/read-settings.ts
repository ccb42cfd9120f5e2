import type { KeyOrigin, ReadBackProblem, StartedServer } from './read-back.ts'
import { type Reading, type Setting, type Settings, settingOfFlag, variableOf } from './setting.ts'

/** What the arguments and the environment of a server say about the settings of its kind. */
export interface SettingsRead {
  /** In the order of the settings. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Every source of an API key; the one that counts comes first. */
  readonly keys: readonly KeyOrigin[]
  readonly unstated: readonly string[]
  readonly problems: readonly ReadBackProblem[]
  /** Words that set no field, in their order. */
  readonly rest: readonly string[]
  /** Variables that were read. The others set no field. */
  readonly readVariables: ReadonlySet<string>
}

interface Given {
  readonly setting: Setting
  /** The flag as written, or the variable. */
  readonly name: string
  /** Undefined: it has none. */
  readonly value: string | undefined
  /** Its words on the command line; empty: a variable. */
  readonly words: readonly string[]
}

type Piece = Given | string

/**
 * Reads settings like the programs do: the last flag counts, and a flag overrides its variable. Unknown words stay in their order, so how many
 * values an unknown flag has does not matter.
 *
 * @param prefix of variables; undefined: unknown, so variables with a prefix are not read
 */
export function readSettings(
  kind: Settings,
  args: readonly string[],
  { env = {} }: Pick<StartedServer, 'env'>,
  prefix?: string,
): SettingsRead {
  const pieces = piecesOf(kind, args)
  const given = kind.settings.map((setting) => ({
    setting,
    flags: pieces.flatMap((piece) => (typeof piece !== 'string' && piece.setting === setting ? [piece] : [])),
    variable: givenVariable(setting, env, prefix),
  }))
  const readings = given.flatMap(({ setting, flags, variable }) =>
    setting.key === undefined ? [readSetting(kind, setting, flags, variable)] : [],
  )
  const stay = new Set(readings.flatMap(({ stays }) => stays))
  const concerned = new Set(readings.flatMap(({ problems }) => problems.map(({ field }) => field)))
  const fields = Object.fromEntries(readings.flatMap(({ field }) => field))
  return {
    fields,
    keys: [
      ...given.flatMap(({ flags }) => flags.flatMap(keyOf)).toReversed(),
      ...given.flatMap(({ variable }) => keyOf(variable)),
    ],
    unstated: kind.settings.flatMap(({ field, always }) =>
      always !== true || Object.hasOwn(fields, field) || concerned.has(field) ? [] : [field],
    ),
    problems: readings.flatMap(({ problems }) => problems),
    rest: pieces.flatMap((piece) => (typeof piece === 'string' ? [piece] : stay.has(piece) ? piece.words : [])),
    readVariables: new Set(
      given.flatMap(({ variable }) => (variable === undefined || stay.has(variable) ? [] : [variable.name])),
    ),
  }
}

/** The words of a problem. */
function wordsOf({ words, name, value }: Given): string {
  return words.length > 0 ? words.join(' ') : `${name}=${value ?? ''}`
}

function piecesOf(kind: Settings, args: readonly string[]): readonly Piece[] {
  const pieces: Piece[] = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? ''
    const [name, inline] = halves(word)
    const setting = settingOfFlag(kind, name)
    if (setting === undefined) {
      pieces.push(word)
    } else if (inline !== undefined || setting.switches !== undefined) {
      pieces.push({ setting, name, value: inline, words: [word] })
    } else {
      const value = args[++at]
      pieces.push({ setting, name, value, words: value === undefined ? [word] : [word, value] })
    }
  }
  return pieces
}

/** `--flag=value` in two; every other word is whole. */
function halves(word: string): readonly [name: string, value?: string] {
  const at = word.startsWith('-') ? word.indexOf('=') : -1
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)]
}

function givenVariable(setting: Setting, env: Readonly<Record<string, string>>, prefix: string | undefined): Given | undefined {
  const name = variableOf(setting, prefix)
  if (name === undefined || !Object.hasOwn(env, name)) return undefined
  return { setting, name, value: env[name], words: [] }
}

interface SettingRead {
  /** Name and value; empty: it has none. */
  readonly field: readonly (readonly [name: string, value: unknown])[]
  readonly problems: readonly ReadBackProblem[]
  /** What stays in `extra_args` or `env`. */
  readonly stays: readonly Given[]
}

function readSetting(kind: Settings, setting: Setting, flags: readonly Given[], variable: Given | undefined): SettingRead {
  const { field, adds, keeps, once } = setting
  const others = once === true ? flags.filter(({ value }) => value !== flags.at(-1)?.value) : []
  const deciding = flags.length === 0 ? [variable].filter((one) => one !== undefined) : adds === true ? flags : flags.slice(-1)
  const read = deciding.map((given) => ({ given, reading: readingOf(kind, given) }))
  const values = read.flatMap(({ reading }) => ('value' in reading ? [reading.value] : []))
  const faulty = read.flatMap(({ given, reading }) => ('why' in reading ? [{ given, why: reading.why }] : []))
  const stays = faulty.filter(({ given: { value } }) => value !== undefined && keeps?.test(value) === true)
  return {
    field: values.length === 0 ? [] : [[field, adds === true ? [...new Set(values)] : values[0]]],
    problems: [
      ...faulty.filter((one) => !stays.includes(one)).map(({ given, why }) => ({ word: wordsOf(given), why, field })),
      ...others.map((given) => ({ word: wordsOf(given), why: `the server was given another ${field} as well` })),
    ],
    stays: stays.map(({ given }) => given),
  }
}

function readingOf({ spelling }: Settings, { setting, name, value, words }: Given): Reading {
  const meaning = words.length === 0 ? undefined : setting.switches?.[spelling?.(name) ?? name]
  if (meaning !== undefined) return value === undefined ? { value: meaning } : { why: 'the flag has no value' }
  return value === undefined ? { why: 'its value is missing' } : setting.read(value)
}

function keyOf(given: Given | undefined): readonly KeyOrigin[] {
  if (given?.setting.key === undefined) return []
  const { setting, name, value, words } = given
  if (setting.key === 'path') return [{ by: 'file', name, ...(value === undefined ? {} : { path: value }) }]
  if (words.length > 0) return [{ by: 'argument', name }]
  // An empty variable is how compose files and units switch it off.
  return value === '' ? [] : [{ by: 'variable', name }]
}
