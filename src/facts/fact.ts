import type { Platform } from '../model/names.ts'
import { known, type Observed, type Unknown, type UnknownReason, unknown } from '../model/observed.ts'
import type { FactQuestion } from './question.ts'

/**
 * One kind of observation: the shell that makes it and the pure parser that reads it. Smallest real example: `layout.ts`.
 * Facts that one look at the host answers together (residents and downloads) share a section and name the same `script`.
 */
export interface Fact<T> {
  readonly section: SectionScript
  parse(section: Observed<Section>, context: FactContext): T
}

/** The shell of one section. Runs in a subshell of its own, gets the question as `tag=value` arguments, writes nothing. */
export interface SectionScript {
  readonly name: string
  /** Body of a shell function; its exit status travels back. A family without one is not asked. */
  readonly sh: Readonly<Partial<Record<Platform, string>>>
  /** Asked on every host, even one that is not what the inventory says. */
  readonly everywhere?: true
  /** It touches places that may hang (network mounts, foreign programs): ended after so many seconds. */
  readonly limitS?: number
  /** It runs a tool that may hang or leave a child behind: sent on its own, so that what was found before it is not held back. */
  readonly apart?: true
}

/** What came back between the frames of one section. */
export interface Section {
  /** 0: it worked; 127: no such tool. */
  readonly status: number
  readonly text: string
  /** The tools' own words. */
  readonly stderr: string
}

export interface FactContext {
  readonly question: FactQuestion
}

/** Lines of a section's text, without the last line break; empty text has none. */
export function linesOf(text: string): readonly string[] {
  const trimmed = text.endsWith('\n') ? text.slice(0, -1) : text
  return trimmed === '' ? [] : trimmed.split('\n')
}

/** Reads a section that ended with status 0; any other is unknown with the tool's own words. */
export function readSection<T>(section: Observed<Section>, read: (text: string) => Observed<T>): Observed<T> {
  if (!section.known) return section
  return section.value.status === 0 ? read(section.value.text) : complaint(section.value)
}

/** Why a section that did not end with 0 leaves its fact unknown. */
export function complaint({ status, stderr }: Pick<Section, 'status' | 'stderr'>): Unknown {
  const detail = firstWords(stderr)
  return unknown(reasonFor(status, detail ?? ''), detail)
}

function reasonFor(status: number, words: string): UnknownReason {
  if (status === 127) return 'no-such-tool'
  if (endedByLimit(status)) return 'timed-out'
  return /permission denied|not permitted|must be root|access denied/i.test(words) ? 'not-permitted' : 'unreadable'
}

/** 124: `timeout` said so; 137: killed. */
export function endedByLimit(status: number): boolean {
  return status === 124 || status === 137
}

const longest = 200

/** How far words for people are looked for. */
const lookedThrough = 20_000

/** The first line that says something, printable and not long. */
export function firstWords(text: string): string | undefined {
  const line = text
    .slice(0, lookedThrough)
    .split('\n')
    .map((one) => one.replace(/[^\x20-\x7e\u{a0}-\u{10ffff}]/gu, ' ').trim())
    .find((one) => one !== '')
  return line === undefined || line.length <= longest ? line : `${line.slice(0, longest)}…`
}

/** For a section in which each line has one of a few shapes: the first that has none of them would be passed over, and is not to be. */
export function strangeLine(lines: readonly string[], shape: RegExp): Unknown | undefined {
  const strange = lines.find((line) => !shape.test(line))
  return strange === undefined
    ? undefined
    : unknown('unreadable', `there is a line in it that cannot be read: ${firstWords(strange) ?? ''}`)
}

/** `order` is of what the lines begin with, each word with a blank behind it: of lines that are held apart by a bar the bar, of empty ones `_`. */
export function strangeOrder(lines: readonly string[], order: RegExp): Unknown | undefined {
  const words = lines.map((line) => (line.startsWith('|') ? '|' : (line.split(' ', 1)[0] ?? '') || '_'))
  return order.test(words.map((word) => `${word} `).join(''))
    ? undefined
    : unknown('unreadable', 'its lines did not arrive in their order')
}

/** Whether that is all they say: where a host tells that there is nothing and then tells more of it, it was damaged on its way. */
export function saysOnly(lines: readonly string[], words: string): boolean {
  return lines[0] === words && lines.slice(1).every((line) => line === '')
}

/** Text as a number, or unknown when it is none. */
export function numberOf(text: string | undefined, what: string): Observed<number> {
  const number = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(number)
    ? known(number)
    : unknown('unreadable', `${what} is not a number: ${firstWords(text ?? '') ?? ''}`)
}

export interface AnswerReader<T> {
  /** That it is not as the probe prints it: lines of it may stand in the one before it, and the other way round. */
  readonly strange: (lines: readonly string[]) => Unknown | undefined
  readonly read: (lines: readonly string[]) => Observed<T>
}

/**
 * For sections that answer about each asked path in turn, each answer led by a `path …` line. What is missing at the end (the
 * output stopped) is unknown, and so is an answer about another path or a strange one, and the one before it, of which the rest may stand
 * elsewhere; the section's own status counts where there is no answer, and against the last one, which may have been cut.
 */
export function byAsked<T>(
  section: Observed<Section>,
  asked: readonly string[],
  { strange, read }: AnswerReader<T>,
): Readonly<Record<string, Observed<T>>> {
  const answers = section.known ? answersIn(section.value.text) : []
  const damages = answers.map((answer, index) =>
    isAbout(answer[0] ?? '', asked[index] ?? '') ? strange(answer) : unknown('unreadable', 'the host answers about another path'),
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

const mixed = unknown('unreadable', 'what the host tells next is mixed with another answer')

/** `@root/` and `@home/` are known on the host. */
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
