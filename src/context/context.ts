import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { homedir } from 'node:os'
import { styleText } from 'node:util'
import { joined, jsonPieces } from '../lib/json-pieces.ts'
import { mapStrings } from '../lib/map-strings.ts'
import { createRedactor, type Redactor } from '../lib/redactor.ts'
import { sealed, visibleJson, visibleText } from '../lib/visible-text.ts'
import type { GivenOptions } from '../model/given-options.ts'
import type { Secret } from '../model/secret.ts'
import { type Paint, type PaintStyle, paintGiven, plainPaint } from '../report/paint.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import type { Interrupts } from './interrupts.ts'
import { columnsOf, marks, wrapProse } from './wrap-prose.ts'

/** The outside world for a verb: created once in `main.ts`, passed down, replaced in tests. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  readonly out: Output
  readonly err: Output
  readonly stdin: NodeJS.ReadStream
  readonly redactor: Redactor
  /** The command line after `converge`. */
  readonly argv: readonly string[]
  /** Empty until the command line has been parsed. */
  readonly given: GivenOptions
  /** Aborted by the first interrupt: no new step starts. */
  readonly signal: AbortSignal
  /** Aborted by the second: work on hosts is ended, without a rollback. */
  readonly force: AbortSignal
  readonly ignoreInterruptsDuring: Interrupts['ignoreDuring']
  /** Bugs that were reported without ending the run: the program exits with code 1. */
  readonly bugs: unknown[]
  readonly now: () => Date
  readonly clock: Clock
  /** Random lower-case hexadecimal, `bytes` long. */
  random(bytes: number): string
}

/** One of the two streams. Everything written passes the redactor. */
export interface Output {
  readonly stream: NodeJS.WriteStream
  readonly isTerminal: boolean
  /** Undefined: not a terminal. */
  readonly columns: number | undefined
  readonly paint: Paint
  /** Text for programs, and reports: unchanged. */
  write(text: string): void
  /** Text for people: its lines are wrapped to fit a terminal, except for ranges that must stay whole. Unchanged elsewhere. */
  writeProse(text: string): void
  /**
   * JSON whose texts passed the redactor one by one: redacting the whole could break it if a key equals a word of the format. It waits for the
   * reader: that of a large fleet would fill the memory.
   */
  writeJson(document: unknown): Promise<void>
  /** The same on one line. */
  writeJsonLine(document: unknown): void
}

/** What a command line gets from its process. */
export interface Surroundings extends Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr'> {
  cwd(): string
}

export function createContext(
  surroundings: Surroundings,
  {
    signal,
    force,
    ignoreDuring = (work) => work(),
  }: Pick<Interrupts, 'signal' | 'force'> & Partial<Pick<Interrupts, 'ignoreDuring'>>,
  argv: readonly string[],
): Context {
  const redactor = createRedactor((secret: Secret) => secret.reveal())
  const { env, stdin, stdout, stderr } = surroundings
  return {
    env,
    cwd: surroundings.cwd(),
    home: homedir(),
    out: createOutput(stdout, redactor),
    err: createOutput(stderr, redactor),
    stdin,
    redactor,
    argv,
    given: {},
    signal,
    force,
    ignoreInterruptsDuring: ignoreDuring,
    bugs: [],
    now: () => new Date(),
    clock: systemClock,
    random: (bytes) => randomBytes(bytes).toString('hex'),
  }
}

/** Applied after the command line is parsed. */
export function contextGiven(context: Context, given: GivenOptions): Context {
  const { out, err } = context
  return {
    ...context,
    given,
    out: { ...out, paint: paintGiven(out.paint, given) },
    err: { ...err, paint: paintGiven(err.paint, given) },
  }
}

function createOutput(stream: NodeJS.WriteStream, redactor: Redactor): Output {
  // Parameters of four digits, as terminals and width calculations accept them.
  const seal = Array.from({ length: 3 }, () => String(randomInt(1000, 10_000))).join(';')
  const redact = (text: string) => redactor.redact(text)
  const shown = (text: string) => visibleText(redact(text), { seal })
  return {
    stream,
    isTerminal: stream.isTTY,
    columns: columnsOf(stream),
    paint: createPaint(stream, seal),
    write: (text) => {
      stream.write(shown(text))
    },
    // Wrapped last, when the width is final, so that no secret was split.
    writeProse: (text) => {
      stream.write(wrapProse(shown(text), columnsOf(stream)))
    },
    writeJson: async (document) => {
      for (const text of joined(jsonPieces(document, redact))) {
        stream.write(text)
        if (stream.writableNeedDrain && !(await drained(stream))) return
      }
      stream.write('\n')
    },
    writeJsonLine: (document) => {
      stream.write(`${visibleJson(mapStrings(document, redact), 0)}\n`)
    },
  }
}

/** Whether the reader takes more; false: it has gone, which `watchOutput` sees as well. */
async function drained(stream: NodeJS.WriteStream): Promise<boolean> {
  return once(stream, 'drain').then(
    () => true,
    () => false,
  )
}

function createPaint(stream: NodeJS.WriteStream, seal: string): Paint {
  // styleText itself respects NO_COLOR, FORCE_COLOR and whether the stream is a terminal.
  const paint = (style: readonly PaintStyle[], text: string) => {
    const [open = '', close = ''] = styleText([...style], '|', { stream }).split('|')
    return `${sealed(open, seal)}${text}${sealed(close, seal)}`
  }
  const [open, close] = [sealed(marks.whole, seal), sealed(marks.wholeEnds, seal)]
  const whole = (text: string) => text.replace(/.+/g, (line) => `${open}${line}${close}`)
  return Object.assign(paint, stream.isTTY ? { given: {}, whole, hang: sealed(marks.hang, seal) } : plainPaint({}))
}
