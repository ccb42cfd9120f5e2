import { type GivenWay, giveWay } from './give-way.ts'
import { keysIn } from './keys.ts'

export interface ScreenStreams {
  readonly out: NodeJS.WriteStream
  readonly err: NodeJS.WriteStream
  readonly stdin: NodeJS.ReadStream
}

export interface ScreenHandlers {
  /** `up`, `page-down`, `q`, … */
  readonly key: (name: string) => void
  /** The terminal has another size, or shows something else. */
  readonly redraw: () => void
  /** What other code writes to stderr meanwhile. */
  readonly notice: (text: string) => void
}

/** Another screen, without a cursor and without wrapping; and back. */
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l'
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l'
/** Terminals that know them show no half frame. */
const frame = { begin: '\u001b[?2026h\u001b[H', line: '\u001b[2K', end: '\u001b[0J\u001b[?2026l' }

/** The whole terminal, until `close`, after which it shows what it showed before. */
export class LiveScreen {
  readonly #streams: ScreenStreams
  readonly #handlers: ScreenHandlers
  #way: GivenWay | undefined
  #isLent = false
  #onAnyKey = ignore

  constructor(streams: ScreenStreams, handlers: ScreenHandlers) {
    this.#streams = streams
    this.#handlers = handlers
    const { out, stdin } = streams
    this.#take()
    stdin.on('data', this.#onData)
    // A terminal that was closed.
    stdin.on('error', ignore)
    out.on('resize', handlers.redraw)
    // Whatever ends the process.
    process.once('exit', this.#giveBack)
  }

  get columns(): number {
    return this.#streams.out.columns > 0 ? this.#streams.out.columns : 80
  }

  get rows(): number {
    return this.#streams.out.rows > 0 ? this.#streams.out.rows : 24
  }

  /** @param write writes one line to stdout, safely */
  draw(lines: readonly string[], write: (line: string) => void): void {
    // While it is suspended, the terminal is another program's.
    if (this.#way === undefined) return
    const { out } = this.#streams
    out.write(frame.begin)
    for (const [index, line] of lines.entries()) {
      // Erased first: behind a full line the cursor is still on its last letter.
      out.write(index > 0 ? `\r\n${frame.line}` : frame.line)
      write(line)
    }
    out.write(frame.end)
  }

  /** While `work` runs, the terminal shows what it showed before, and is another program's. */
  async lend(work: () => Promise<void>): Promise<void> {
    this.#giveBack()
    this.#isLent = true
    const held = giveWay(this.#streams.err, this.#handlers.notice)
    try {
      await work()
    } finally {
      held.stop()
      this.#isLent = false
      this.#take()
      this.#handlers.redraw()
    }
  }

  /** Resolves at the next key, while the screen is lent. An interrupt is one as well. */
  async anyKey(signal: AbortSignal): Promise<void> {
    const { stdin } = this.#streams
    if (!stdin.isTTY || signal.aborted) return
    stdin.setRawMode(true).resume()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onAnyKey = resolve
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    this.#onAnyKey = ignore
    stdin.setRawMode(false).pause()
  }

  /** Safe to call twice. */
  close(): void {
    const { out, stdin } = this.#streams
    this.#giveBack()
    stdin.off('data', this.#onData).off('error', ignore)
    out.off('resize', this.#handlers.redraw)
    process.off('exit', this.#giveBack)
  }

  #take(): void {
    const { out, err, stdin } = this.#streams
    this.#way = giveWay(err, this.#handlers.notice)
    out.write(enter)
    if (stdin.isTTY) stdin.setRawMode(true).resume()
  }

  readonly #giveBack = (): void => {
    if (this.#way === undefined) return
    const { out, stdin } = this.#streams
    if (stdin.isTTY) stdin.setRawMode(false).pause()
    out.write(leave)
    this.#way.stop()
    this.#way = undefined
  }

  readonly #onData = (data: Buffer): void => {
    for (const name of keysIn(data.toString('utf8'))) {
      if (name === 'interrupt') process.kill(process.pid, 'SIGINT')
      else if (this.#isLent) this.#onAnyKey()
      else if (name === 'suspend') this.#suspend()
      else this.#handlers.key(name)
    }
  }

  /** A terminal in raw mode leaves it to us. */
  #suspend(): void {
    this.#giveBack()
    process.once('SIGCONT', () => {
      this.#take()
      this.#handlers.redraw()
    })
    process.kill(process.pid, 'SIGTSTP')
  }
}

function ignore(): void {}
