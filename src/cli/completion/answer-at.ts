import type { Answer } from './answer.ts'
import type { OptionShape, ValueShape } from './command-line.ts'
import type { Place } from './read-line.ts'
import { type Known, sources } from './sources.ts'

const nothing: Answer = { candidates: [] }

/** What can stand at the cursor. */
export async function answerAt(place: Place, current: string, known: Known): Promise<Answer> {
  const { line, verb, args, onlyArgs, open } = place
  if (open?.value !== undefined) return answerForValue(open.value, place, { prefix: '', text: current }, known)
  if (!onlyArgs && current.startsWith('-')) return answerForOption(place, current, known)
  if (verb === undefined) return { candidates: line.verbs.map(({ name: value, about }) => ({ value, about })) }
  const argument = verb.values[args.length] ?? verb.values.findLast(({ isVariadic }) => isVariadic)
  // The words of another command line follow `--`.
  if (argument === undefined || argument.name === 'words') return onlyArgs ? nothing : optionsAt(place, argument)
  return answerForValue(argument, place, { prefix: '', text: current }, known)
}

/** `--for`, or `--format=ht`. */
async function answerForOption(place: Place, current: string, known: Known): Promise<Answer> {
  const [, name, text = ''] = /^(--[^=]+)=(.*)$/s.exec(current) ?? []
  if (name === undefined) return optionsAt(place)
  const option = (place.verb ?? place.line).options.find(({ long }) => long === name)
  if (option?.value === undefined) return nothing
  return answerForValue(option.value, place, { prefix: `${name}=`, text }, known)
}

/** The part of the word at the cursor that is a value, and what stands before it. */
interface TypedValue {
  readonly prefix: string
  readonly text: string
}

async function answerForValue(value: ValueShape, place: Place, { prefix, text }: TypedValue, known: Known): Promise<Answer> {
  const source = sources[value.name]
  const answer = source === undefined ? valuesOf(value) : await source({ value, text, place, known })
  if ('paths' in answer) return { ...answer, prefix: prefix + answer.prefix }
  return { candidates: answer.candidates.map((one) => ({ ...one, value: prefix + one.value })) }
}

function valuesOf({ values }: ValueShape): Answer {
  return { candidates: values.map((value) => ({ value, about: '' })) }
}

/** Options that are not given yet, or repeatable, and not excluded by a given one. */
function optionsAt({ line, verb, given }: Place, words?: ValueShape): Answer {
  const typed = [...given.keys()]
  const isExcluded = ({ long = '', excludes }: OptionShape) =>
    typed.some((one) => one.excludes.includes(long) || excludes.includes(one.long ?? ''))
  const options = (verb ?? line).options.filter(
    (option) => !option.isHidden && (option.isRepeatable || !given.has(option)) && !isExcluded(option),
  )
  return {
    candidates: [
      ...(words === undefined ? [] : [{ value: '--', about: 'the command follows' }]),
      ...options.map(({ long, short, about }) => ({ value: long ?? short ?? '', about })),
    ],
  }
}
