import * as fc from 'fast-check'
import { assertNever } from '../../src/errors/assert-never.ts'
import { anyCharacter } from './any-character.ts'

/** One thing that happens to an answer on its way; places are shares of its length, so that it fits an answer of any length. */
export interface Mutation {
  readonly kind: (typeof kinds)[number]
  /** Where, and where to: 0 to 1. */
  readonly at: number
  readonly to: number
  /** How much: characters, or lines. */
  readonly size: number
  readonly odd: string
}

const kinds = [
  'cut',
  'lose',
  'repeat',
  'move',
  'repeat a frame',
  'put a frame elsewhere',
  'insert',
  'change',
  'change a number',
  'insert a line',
  'lose a line',
  'repeat a line',
  'swap lines',
  'carriage returns',
] as const

/** Unexpected output of hosts: control characters, numbers that are none, and words of the probe itself. */
const oddTexts = [
  '\0',
  '\u0001',
  '\u001b[31m',
  '\r',
  '\ufeff',
  '\ufffd',
  '\u202e',
  '\n',
  ' ',
  '',
  '-1',
  '0',
  'NaN',
  'Infinity',
  '1e999',
  '0x10',
  '65536',
  '99999999999999999999999',
  '9007199254740993',
  '1.5',
  'x',
  'LISTEN',
  'state absent',
  'state there',
  'systemd none',
  'engine none',
  'end',
  'path /etc/passwd',
  'p 1',
  '@ss',
  '@ended 0',
  '@@ end memory 0',
  '@@ begin lock',
  '@@ done',
  'Welcome to this machine!',
  '{',
  '"',
  '|',
  '__proto__',
]

const arbitraryShare = fc.integer({ min: 0, max: 999_999 }).map((millionths) => millionths / 1e6)

const arbitraryMutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(...kinds),
  at: arbitraryShare,
  to: arbitraryShare,
  size: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 2000 })),
  odd: fc.oneof(fc.constantFrom(...oddTexts), fc.string({ unit: anyCharacter, minLength: 1, maxLength: 6 })),
})

/** Mostly one, sometimes several at once. */
export const arbitraryMutations: fc.Arbitrary<readonly Mutation[]> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(arbitraryMutation) },
  { weight: 1, arbitrary: fc.array(arbitraryMutation, { minLength: 2, maxLength: 4 }) },
)

export function mutate(text: string, { kind, at, to, size, odd }: Mutation): string {
  const from = Math.floor(at * text.length)
  const part = text.slice(from, from + size)
  const without = text.slice(0, from) + text.slice(from + size)
  switch (kind) {
    case 'cut':
      return text.slice(0, from)
    case 'lose':
      return without
    case 'repeat':
      return text.slice(0, from + size) + part + text.slice(from + size)
    case 'move':
      return insert(without, Math.floor(to * without.length), part)
    case 'repeat a frame':
      return insert(text, Math.floor(to * text.length), frameAt(text, from))
    case 'put a frame elsewhere': {
      const frame = frameAt(text, from)
      const rest = text.replace(frame, () => '')
      return insert(rest, Math.floor(to * rest.length), frame)
    }
    case 'insert':
      return insert(text, from, odd)
    case 'change':
      return text.slice(0, from) + odd + text.slice(from + Math.min(size, 8))
    case 'change a number':
      return changeNumber(text, from, odd)
    case 'carriage returns':
      return text.replaceAll('\n', '\r\n')
    case 'insert a line':
    case 'lose a line':
    case 'repeat a line':
    case 'swap lines':
      return mutateLines(text.split('\n'), { kind, at, to, size, odd }).join('\n')
    default:
      return assertNever(kind)
  }
}

function mutateLines(lines: readonly string[], { kind, at, to, size, odd }: Mutation): readonly string[] {
  const here = Math.floor(at * lines.length)
  const there = Math.floor(to * lines.length)
  const some = Math.min(size, 4)
  if (kind === 'insert a line') return lines.toSpliced(here, 0, odd)
  if (kind === 'lose a line') return lines.toSpliced(here, some)
  if (kind === 'repeat a line') return lines.toSpliced(there, 0, ...lines.slice(here, here + some))
  return lines
    .with(Math.min(here, lines.length - 1), lines[there] ?? '')
    .with(Math.min(there, lines.length - 1), lines[here] ?? '')
}

function insert(text: string, at: number, part: string): string {
  return text.slice(0, at) + part + text.slice(at)
}

/** The whole frame around a place, or behind it. */
function frameAt(text: string, from: number): string {
  const frames = [...text.matchAll(/\n@@ begin (\S+)\n[^]*?\n@@ end \1 \d+\n/g)]
  return (frames.find(({ index, 0: frame }) => index + frame.length > from) ?? frames[0])?.[0] ?? ''
}

function changeNumber(text: string, from: number, odd: string): string {
  const number = /\d+/g
  number.lastIndex = from
  const found = number.exec(text)
  return found === null ? text : text.slice(0, found.index) + odd + text.slice(found.index + found[0].length)
}
