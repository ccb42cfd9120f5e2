import type { CommandLine, OptionShape, ValueShape, VerbShape } from './command-line.ts'

/** A command line as far as the cursor, after `converge`. */
export interface TypedLine {
  /** The words before the one at the cursor, without their quotes. */
  readonly words: readonly string[]
  /** The word at the cursor, as far as the cursor, without its quotes; empty after a blank. */
  readonly current: string
}

/** The place of the cursor in the command line. */
export interface Place {
  readonly line: CommandLine
  /** Undefined: no verb was typed yet. */
  readonly verb: VerbShape | undefined
  /** Options before the cursor, with their values. */
  readonly given: ReadonlyMap<OptionShape, readonly string[]>
  /** The values of arguments before the cursor. */
  readonly args: readonly string[]
  /** `--` was typed, so that no option follows. */
  readonly onlyArgs: boolean
  /** The option before the cursor that needs a value. */
  readonly open: OptionShape | undefined
}

/** Undefined: there is nothing to complete, as after a verb that does not exist. */
export function placeOfCursor(line: CommandLine, words: readonly string[]): Place | undefined {
  const reading: Reading = { line, verb: undefined, given: new Map(), args: [], onlyArgs: false, open: undefined }
  for (const [index, word] of words.entries()) {
    const scheduled = word === '--' ? reading.verb?.values.find(({ name }) => name === 'words') : undefined
    if (scheduled !== undefined) return placeOfCursor(onlyVerbs(line, scheduled), words.slice(index + 1))
    readWord(reading, word)
    if (reading.verb === undefined && reading.args.length > 0) return undefined
  }
  return { ...reading, open: reading.open?.value?.isOptional === true ? undefined : reading.open }
}

interface Reading extends Place {
  verb: VerbShape | undefined
  readonly given: Map<OptionShape, readonly string[]>
  readonly args: string[]
  onlyArgs: boolean
  open: OptionShape | undefined
}

function readWord(reading: Reading, word: string): void {
  if (takesAsValue(reading.open, word)) give(reading, { option: reading.open, value: word })
  else if (reading.onlyArgs || word === '-' || !word.startsWith('-')) readArgument(reading, word)
  else if (word === '--') reading.onlyArgs = true
  else readOptions(reading, word)
}

function takesAsValue(open: OptionShape | undefined, word: string): open is OptionShape {
  return open?.value !== undefined && !(open.value.isOptional && word.startsWith('-'))
}

function give(reading: Reading, { option, value }: TypedOption): void {
  reading.given.set(option, [...(reading.given.get(option) ?? []), ...(value === undefined ? [] : [value])])
  reading.open = option.value !== undefined && value === undefined ? option : undefined
}

function readArgument(reading: Reading, word: string): void {
  reading.open = undefined
  const verb = reading.verb === undefined ? reading.line.verbs.find(({ name }) => name === word) : undefined
  if (verb === undefined) reading.args.push(word)
  else reading.verb = verb
}

function readOptions(reading: Reading, word: string): void {
  reading.open = undefined
  for (const typed of optionsIn(word, (reading.verb ?? reading.line).options)) give(reading, typed)
}

/** `schedule` takes a whole command line after `--`, of some verbs. */
function onlyVerbs(line: CommandLine, { values }: ValueShape): CommandLine {
  return { ...line, options: [], verbs: line.verbs.filter(({ name }) => values.includes(name)) }
}

interface TypedOption {
  readonly option: OptionShape
  readonly value: string | undefined
}

/** `--format=html`, `-i`, `-ihome`, `-qv`. */
function optionsIn(word: string, options: readonly OptionShape[]): readonly TypedOption[] {
  if (word.startsWith('--')) {
    const [name, ...rest] = word.split('=')
    const option = options.find(({ long }) => long === name)
    return option === undefined ? [] : [{ option, value: rest.length === 0 ? undefined : rest.join('=') }]
  }
  const option = options.find(({ short }) => short === word.slice(0, 2))
  if (option === undefined) return []
  const rest = word.slice(2)
  if (option.value !== undefined) return [{ option, value: rest === '' ? undefined : rest }]
  return [{ option, value: undefined }, ...(rest === '' ? [] : optionsIn(`-${rest}`, options))]
}
