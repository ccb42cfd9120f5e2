import type { Platform } from '../model/names.ts'
import { known, type Observed, type Unknown, type UnknownReason, unknown } from '../model/observed.ts'
import type { FactQuestion } from './question.ts'

/**
 * One kind of observation: the shell that makes it and the pure parser that reads it. Smallest real example: `layout.ts`.
 * Facts from the same command (residents and downloads) share a section and name the same `script`.
 */
export interface Fact<T> {
  readonly section: SectionScript
  parse(section: Observed<Section>, context: FactContext): T
}

/** The shell of one section. Gets the question as `tag=value` arguments, writes nothing, and leaves the frame's own variables alone. */
export interface SectionScript {
  readonly name: string
  /** Body of a shell function; its exit status is reported. A platform without one is skipped. */
  readonly sh: Readonly<Partial<Record<Platform, string>>>
  /** Runs on every host, even if its platform is not the one in the inventory. */
  readonly everywhere?: true
  /** It touches what may hang (network mounts, foreign programs): killed after this many seconds, on a host that did not end in haste. */
  readonly limitS?: number
  /** The beginnings of the arguments that it answers; it is not started where there are none. */
  readonly about?: readonly string[]
  /** It runs a tool that may hang or leave a child behind: sent separately, so that earlier results are not held back. */
  readonly apart?: true
}

/** What came back between the frames of one section. */
export interface Section {
  /** 0: success; 127: no such tool. */
  readonly status: number
  readonly text: string
  /** The tools' own messages. */
  readonly stderr: string
}

export interface FactContext {
  readonly question: FactQuestion
}

/** Lines of a section's text, without the last line break; an empty text has none. */
export function linesOf(text: string): readonly string[] {
  const trimmed = text.endsWith('\n') ? text.slice(0, -1) : text
  return trimmed === '' ? [] : trimmed.split('\n')
}

/** Reads a section with exit status 0; any other status makes the fact unknown, with the tool's own message. */
export function readSection<T>(section: Observed<Section>, read: (text: string) => Observed<T>): Observed<T> {
  if (!section.known) return section
  return section.value.status === 0 ? read(section.value.text) : complaint(section.value)
}

/** Why a section with a non-zero exit status leaves its fact unknown. */
export function complaint({ status, stderr }: Pick<Section, 'status' | 'stderr'>): Unknown {
  const detail = firstWords(stderr)
  return unknown(reasonFor(status, detail ?? ''), detail)
}

function reasonFor(status: number, words: string): UnknownReason {
  if (status === 127) return 'no-such-tool'
  if (endedByLimit(status)) return 'timed-out'
  return /permission denied|not permitted|must be root|access denied/i.test(words) ? 'not-permitted' : 'unreadable'
}

/** 124: `timeout` ended it; 137: killed. */
export function endedByLimit(status: number): boolean {
  return status === 124 || status === 137
}

const longest = 200

/** Characters that `firstWords` searches. */
const lookedThrough = 20_000

/** The first non-empty line, made printable and shortened. */
export function firstWords(text: string): string | undefined {
  const line = text
    .slice(0, lookedThrough)
    .split('\n')
    .map((one) => one.replace(/[^\x20-\x7e\u{a0}-\u{10ffff}]/gu, ' ').trim())
    .find((one) => one !== '')
  return line === undefined || line.length <= longest ? line : `${line.slice(0, longest)}…`
}

/** Rejects lines of an unexpected shape, so that no line is skipped silently. */
export function strangeLine(lines: readonly string[], shape: RegExp): Unknown | undefined {
  const strange = lines.find((line) => !shape.test(line))
  return strange === undefined ? undefined : unknown('unreadable', `unexpected line: ${firstWords(strange) ?? ''}`)
}

/** `order` matches the first words of the lines, each followed by a blank; `|` and `+` stand for lines that start with them, `_` for an empty one. */
export function strangeOrder(lines: readonly string[], order: RegExp): Unknown | undefined {
  const words = lines.map((line) => /^[|+]/.exec(line)?.[0] ?? ((line.split(' ', 1)[0] ?? '') || '_'))
  return order.test(words.map((word) => `${word} `).join(''))
    ? undefined
    : unknown('unreadable', 'its lines arrived out of order')
}

/** Whether the answer consists of these words alone. "Nothing there" followed by content means that the answer was damaged in transit. */
export function saysOnly(lines: readonly string[], words: string): boolean {
  return lines[0] === words && lines.slice(1).every((line) => line === '')
}

/** Text as a number; unknown if it is none. */
export function numberOf(text: string | undefined, what: string): Observed<number> {
  const number = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(number)
    ? known(number)
    : unknown('unreadable', `${what} is not a number: ${firstWords(text ?? '') ?? ''}`)
}

export interface AnswerReader<T> {
  /** Not what the probe prints: lines may have moved between this answer and the one before it. */
  readonly strange: (lines: readonly string[]) => Unknown | undefined
  readonly read: (lines: readonly string[]) => Observed<T>
}

/**
 * For sections that answer about each asked path in turn; each answer starts with a `path …` line. Unknown are: missing answers at the end
 * (the output stopped), an answer about another path, a malformed one and the one before it, which may have lost lines to it. A non-zero
 * exit status applies to missing answers, and to the last one, which may be truncated.
 */
export function byAsked<T>(
  section: Observed<Section>,
  asked: readonly string[],
  { strange, read }: AnswerReader<T>,
): Readonly<Record<string, Observed<T>>> {
  const answers = section.known ? answersIn(section.value.text) : []
  const damages = answers.map((answer, index) =>
    isAbout(answer[0] ?? '', asked[index] ?? '')
      ? strange(answer)
      : unknown('unreadable', 'the host answered about another path'),
  )
  const otherwise = section.known ? complaint(section.value) : section
  return Object.fromEntries(
    asked.map((path, index) => {
      const answer = answers[index]
      if (answer === undefined) return [path, otherwise]
      const damage = damages[index] ?? (damages[index + 1] === undefined ? undefined : mixed)
      if (damage !== undefined) return [path, damage]
      const isCut = section.known && section.value.status !== 0 && index === answers.length - 1 && answer[1] === 'state there'
      const fact = read(answer)
      return [path, fact.known && isCut && answer.at(-1) !== 'end' ? otherwise : fact]
    }),
  )
}

const mixed = unknown('unreadable', 'this answer is mixed with the next one')

/** `@root/` and `@home/` are resolved on the host. */
function isAbout(line: string, asked: string): boolean {
  const path = line.slice('path '.length)
  const within = /^@(?:root|home)(\/.*)$/.exec(asked)?.[1]
  return within === undefined ? path === asked : path.startsWith('/') && path.endsWith(within)
}

function answersIn(text: string): readonly (readonly string[])[] {
  const answers: string[][] = []
  for (const line of linesOf(text)) {
    if (line.startsWith('path ')) answers.push([line])
    else answers.at(-1)?.push(line)
  }
  return answers
}
