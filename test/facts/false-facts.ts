import { facts as registry } from '../../src/facts/index.ts'
import type { ProbeFacts } from '../../src/facts/read-probe.ts'
import { isObject } from '../../src/lib/json-object.ts'

/** What came from a host (marks begin with `@@`), and what was read in it. */
export interface Answer {
  readonly text: string
  readonly facts: ProbeFacts
}

/**
 * What is known from a damaged answer and is neither true nor stated in it. A known fact is right if the undamaged answer states it.
 * Where it is another, then
 *
 * 1. its frame is whole, there is one of it, and something in it was changed;
 * 2. each word of it stands in the changed frame;
 * 3. that something is not there (null, none) is said in words, as `state absent`;
 * 4. of a list something is missing only where whole lines are missing: a line that cannot be read is never passed over.
 *
 * Numbers are the schema's affair.
 */
export function falseFacts(truth: Answer, seen: Answer): readonly string[] {
  return Object.entries(registry).flatMap(([field, { section }]) => {
    const right = partsOf(truth.facts, field)
    const claimed = partsOf(seen.facts, field)
    return [...claimed].flatMap(([part, fact]) => {
      const actual = right.get(part)
      if (fact['known'] !== true || agrees(actual, fact)) return []
      const was = bodyOf(truth.text, section.name) ?? ''
      const is = bodyOf(seen.text, section.name)
      const why = blame({ field, was, is, right: valueOf(actual), claimed: fact['value'] })
      return why === undefined ? [] : [`${field}${part === '' ? '' : ` of ${part}`}: ${why}`]
    })
  })
}

type Observation = Readonly<Record<string, unknown>>

function partsOf(facts: ProbeFacts, field: string): ReadonlyMap<string, Observation> {
  const fact: unknown = Reflect.get(facts, field)
  if (!isObject(fact)) throw new Error(`${field} is no fact`)
  if ('known' in fact) return new Map([['', withoutPublished(facts, field, fact)]])
  return new Map(Object.entries(fact).map(([part, one]) => [part, isObject(one) ? one : {}]))
}

/** Ports of containers come from the containers. */
function withoutPublished({ listeners }: ProbeFacts, field: string, fact: Observation): Observation {
  if (field !== 'listeners' || !listeners.known) return fact
  const own = listeners.value.filter(({ pid }) => pid.known || pid.detail?.startsWith('published by') !== true)
  return { known: true, value: own }
}

function valueOf(fact: Observation | undefined): unknown {
  return fact?.['known'] === true ? fact['value'] : undefined
}

/** The same, or less of it known. */
function agrees(right: unknown, claimed: unknown): boolean {
  if (isObject(claimed) && claimed['known'] === false) return true
  if (Array.isArray(right) && Array.isArray(claimed))
    return right.length === claimed.length && right.every((one, index) => agrees(one, claimed[index]))
  if (!isObject(right) || !isObject(claimed)) return Object.is(right, claimed)
  const names = new Set([...Object.keys(right), ...Object.keys(claimed)])
  return [...names].every((name) => name in right && name in claimed && agrees(right[name], claimed[name]))
}

interface Difference {
  readonly field: string
  readonly was: string
  readonly is: string | undefined
  readonly right: unknown
  readonly claimed: unknown
}

function blame({ field, was, is, right, claimed }: Difference): string | undefined {
  if (is === undefined) return `known as ${show(claimed)}, and its frame is broken`
  if (is === was) return `is ${show(claimed)}, and nothing of its frame was changed`
  const invented = stringsIn(claimed)
    .flatMap(wordsOf)
    .find((word) => !is.includes(word) && !ours.has(word))
  if (invented !== undefined) return `contains ${invented}, which its frame does not`
  const lost = linesOf(was).length - linesOf(is).length
  const absent = emptyAnswers.find(([words, isClaimed]) => isClaimed(claimed) && !isClaimed(right) && !words.test(is))
  // That no run was cut off is nowhere said: its lines are not there.
  if (absent !== undefined && (field !== 'journal' || lost <= 0)) return `says that there is none, and the frame does not`
  const missing = sizeOf(right) - sizeOf(claimed)
  return missing > 0 && lost <= 0 && !mayBeAnother(field, was, is)
    ? `leaves out ${missing} of ${sizeOf(right)}, and no line is missing`
    : undefined
}

/** Whether a process serves a model follows from its arguments and its state: with others it is none. */
function mayBeAnother(field: string, was: string, is: string): boolean {
  // A rule of newsyslog in another shape is none, for newsyslog neither.
  if (field === 'rotatedLogs') return was !== is
  if (!['residents', 'downloads', 'caffeinates'].includes(field)) return false
  return tellingLines(was) !== tellingLines(is)
}

function tellingLines(text: string): string {
  return linesOf(text)
    .filter((line) => /^[axs|]/.test(line))
    .join('\n')
}

const emptyAnswers: readonly (readonly [RegExp, (value: unknown) => boolean])[] = [
  [/^state absent$/m, (value) => value === null],
  [/^engine none$/m, (value) => isObject(value) && value['engine'] === null],
  [/^systemd none/m, (value) => isObject(value) && value['version'] === null],
]

/** The number of entries of a list or a record. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length
  if (!isObject(value)) return 0
  const lists = ['containers', 'units', 'agents', 'files', 'unfinished'].flatMap((name) =>
    name in value ? [sizeOf(value[name])] : [],
  )
  return lists.length > 0
    ? lists.reduce((sum, one) => sum + one)
    : Object.values(value).every(isObject)
      ? Object.keys(value).length
      : 0
}

/** Words of converge's own in facts. */
const ours: ReadonlySet<string> = new Set(
  'A B engine runner file directory linux macos unknown no ro docker Synology DSM QNAP QTS compose server of ollama LM Studio'
    .split(' ')
    .concat('llama model vllm sglang mlx_lm text generation koboldcpp llamafile LocalAI lemonade gpustack swap'.split(' ')),
)

/** Addresses are worked out of hexadecimal digits, a header out of base64. */
const worked: ReadonlySet<string> = new Set(['address', 'header'])

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  if (!isObject(value) || value['known'] === false) return []
  return Object.entries(value).flatMap(([name, member]) => (worked.has(name) ? [] : stringsIn(member)))
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '')
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 200)
}

/** What stands in the one frame of this name; undefined: there is none that is whole, or more than one begin or end of it. */
function bodyOf(text: string, name: string): string | undefined {
  const begins = text.split(`\n@@ begin ${name}\n`)
  const [body, ...more] = (begins[1] ?? '').split(/\n@@ /)
  if (begins.length !== 2 || body === undefined) return undefined
  const ends = text.split(/\n/).filter((line) => line.startsWith(`@@ end ${name} `))
  // The line break at its end may be the one before the next mark.
  const mark = more.length > 1 ? `${more[0]}\n` : (more[0] ?? '')
  return ends.length === 1 && new RegExp(`^end ${name} \\d{1,3}\n`).test(mark) ? `${body}\n` : undefined
}
