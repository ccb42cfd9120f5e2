import { InternalError } from '../errors/converge-error.ts'
import { sha256 } from '../lib/digest.ts'
import type { Platform } from '../model/names.ts'
import { serverKinds } from '../servers/index.ts'
import type { SectionScript } from './fact.ts'
import { fetchIdOf } from './fetch-id.ts'
import { sections } from './index.ts'
import { framing, hasteS, type ProbeCalls, probeFrame, probeName, runsOneByOne } from './probe-frame.ts'
import { probePrelude } from './probe-prelude.ts'
import type { FactQuestion } from './question.ts'
import { redactAwk } from './redact-awk.ts'

/** A script for `/bin/sh -s -- args`, and the word its frames are made with. */
export interface Probe {
  readonly script: string
  /** The script in two: what is of this host, and what goes to every host, always the same string. */
  readonly pieces: readonly [string, string]
  readonly args: readonly string[]
  readonly nonce: string
}

/**
 * The one script that observes a host. It only reads and writes no file, not even a temporary one. The question travels as arguments; salt
 * and nonce are in the text, where the host's process list does not show them. The last line calls what the lines before it define, so a
 * truncated script does nothing.
 */
export function buildProbe(question: FactQuestion): Probe {
  if (!/^[A-Za-z0-9]+$/.test(question.salt)) throw new InternalError('the salt must be letters and digits')
  const nonce = `@${sha256(`frames ${question.salt}`).slice(0, 20)}`
  const pieces = [`nonce=${nonce} salt=${question.salt}\n`, textFor(question.platform)] as const
  return { script: `${pieces[0]}${pieces[1]}`, pieces, args: [probeName, ...argumentsFor(question)], nonce }
}

/** Built once per platform: the same text goes to every host. */
const texts = new Map<Platform | undefined, string>()

function textFor(platform: Platform | undefined): string {
  const made = texts.get(platform)
  if (made !== undefined) return made
  const { shared, quick, slow } = probeFunctions(platform)
  const text = [
    `redactor=${quoted(terse(redactAwk))}`,
    `library=${quoted(terse(shared))}`,
    `quick=${quoted(terse(quick))}`,
    `slow=${quoted(terse(slow))}`,
    terse(probeFrame(probeCalls(platform))),
  ].join('\n')
  texts.set(platform, text)
  return text
}

/** Functions in sh. */
export interface ProbeFunctions {
  /** Of every section. */
  readonly shared: string
  /** Those of the sections that are sent at once, for the frame's own shell alone. */
  readonly quick: string
  /** Those of the others. */
  readonly slow: string
}

/** Those of one platform, or of each behind a choice that the host makes. */
export function probeFunctions(platform: Platform | undefined): ProbeFunctions {
  const [quick, slow] = [sections.filter(isQuick), sections.filter((section) => !isQuick(section))]
  const choose = (some: readonly SectionScript[]) =>
    platform === undefined
      ? `if [ "$family" = macos ]; then\n${functionsFor('macos', some)}\nelse\n${functionsFor('linux', some)}\nfi\n`
      : `${functionsFor(platform, some)}\n`
  return {
    shared: `${probePrelude}\n${framing}`,
    quick: choose(quick),
    slow: `${choose(slow)}${runsOneByOne(probeCalls(platform))}`,
  }
}

function functionsFor(platform: Platform, some: readonly SectionScript[]): string {
  return some
    .flatMap(({ name, sh }) => (sh[platform] === undefined ? [] : `fact_${name}() {\n${sh[platform].trim()}\n}`))
    .join('\n')
}

/** On a host of another platform than the inventory says, only the sections that reveal the platform run. */
function probeCalls(platform: Platform | undefined): ProbeCalls {
  const everywhere = sections.filter(({ everywhere: always }) => always === true)
  const elsewhere = Object.groupBy(
    sections.filter(({ everywhere: always }) => always !== true),
    turnOf,
  )
  const { atOnce = [], oneByOne = [], atLast = [] } = elsewhere
  return {
    atOnce: [...everywhere.map(call), byFamily(platform, atOnce)].join('\n'),
    oneByOne: byFamily(platform, oneByOne),
    atLast: byFamily(platform, atLast),
  }
}

function turnOf(section: SectionScript): keyof ProbeCalls {
  if (isQuick(section)) return 'atOnce'
  return (section.limitS ?? 0) > 2 * hasteS ? 'atLast' : 'oneByOne'
}

function isQuick({ limitS, apart }: SectionScript): boolean {
  return limitS === undefined && apart !== true
}

function byFamily(platform: Platform | undefined, some: readonly SectionScript[]): string {
  const families = platform === undefined ? (['linux', 'macos'] as const) : [platform]
  const choices = families.map((family) => {
    const own = some.filter(({ sh }) => sh[family] !== undefined)
    return `${family})\n${own.map(call).join('\n')}\n;;`
  })
  return ['case $family in', ...choices, 'esac'].join('\n')
}

function call({ name, limitS, about }: SectionScript): string {
  const how = limitS === undefined ? `section ${name}` : `within ${name} ${limitS}`
  if (about === undefined) return `framed ${how} "$@"`
  const asked = about.map((start) => `*" ${start}"*`).join(' | ')
  return `case " $*" in ${asked}) framed ${how} "$@" ;; *) framed true ${name} ;; esac`
}

function argumentsFor(question: FactQuestion): readonly string[] {
  const programs = new Map(question.programs.map((program) => [program.path, program]))
  return [
    ...tagged('root', question.convergeDir === undefined ? [] : [question.convergeDir]),
    `org=${question.org}`,
    ...tagged('definition', question.definitions),
    ...tagged('keyfile', question.keyFiles),
    ...tagged('model', question.models),
    ...question.fetches.map(({ model, kind }) => `fetch-${serverKinds[kind].model}=${fetchIdOf(model)} ${model}`),
    ...tagged('disk', question.disks),
    ...question.executables.flatMap((path) => {
      const program = programs.get(path)
      if (program === undefined) return [`exe=${path}`]
      const help = serverKinds[program.kind].help.map((word) => `word=${word}`)
      return [`with=${program.interpreter ?? ''}`, ...help, `server=${path}`]
    }),
    ...(question.accounts ?? []).flatMap(({ account, reads, runs }) => [
      `account=${account}`,
      ...tagged('reads', reads),
      ...tagged('runs', runs),
    ]),
    ...tagged('unit', question.units),
    ...tagged('image', question.images),
    ...(question.engineVersion ? ['engine=version'] : []),
    ...(question.power ? ['power=asked'] : []),
    ...question.environment.map(({ name, secret }) => `${secret ? 'secret' : 'env'}=${name}`),
  ]
}

function tagged(tag: string, values: readonly string[]): readonly string[] {
  return values.map((value) => `${tag}=${value}`)
}

/** Strips comments and indentation: 13 % less to send. No line in these texts starts with a significant space or hash. */
function terse(text: string): string {
  return text.replaceAll(/^[ \t]*#.*\n|^[ \t]+|^\n/gm, '')
}

/** Quotes any text as one shell word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
