import { shownLine } from '../../lib/visible-text.ts'
import { LiveScreen } from '../../progress/live-screen.ts'
import type { LiveLook } from '../../report/live-status.ts'
import { type LivePaint, liveFrame, serviceAt, serviceCount } from '../../report/live-table.ts'
import type { Run } from '../run.ts'
import { commandFor, runLiveCommand } from './live-command.ts'
import { afterKey, type LiveCommand } from './live-keys.ts'
import { watchFleet } from './watch-fleet.ts'

/** The live table on a terminal, until a key or an interrupt ends it. The terminal is given back in any case. */
export async function showLive(run: Run, intervalMs: number): Promise<void> {
  const { context } = run
  const notices: string[] = []
  const table = new LiveTable(run, notices)
  try {
    const signal = AbortSignal.any([table.ended, context.signal])
    await watchFleet(run, { intervalMs, waitsForAll: false, show: (look) => table.show(look), signal })
  } finally {
    await table.close()
    for (const text of notices) context.err.stream.write(text)
  }
}

/** What was said meanwhile is shown again afterwards. */
const mostNotices = 20

/** Lines around the table that a page leaves out. */
const besidePage = 8

class LiveTable {
  readonly #run: Run
  readonly #screen: LiveScreen
  readonly #notices: readonly string[]
  readonly #write: (line: string) => void
  readonly #how: LivePaint
  readonly #ended = new AbortController()
  #look: LiveLook
  #view = { selected: 0, top: 0, help: false }
  #command: Promise<void> | undefined

  constructor(run: Run, notices: string[]) {
    const { out, err, stdin, redactor, now } = run.context
    const show = (text: string) => shownLine(redactor.redact(text))
    this.#look = { at: now().toISOString(), hosts: [] }
    this.#run = run
    this.#notices = notices
    this.#write = (line) => out.write(line)
    this.#how = { paint: out.paint, show, inventory: run.open.fleet.path, time: localTime }
    const handlers = {
      key: (name: string) => this.#onKey(name),
      redraw: () => this.#draw(),
      notice: (text: string) => {
        notices.push(text)
        notices.splice(0, notices.length - mostNotices)
      },
    }
    this.#screen = new LiveScreen({ out: out.stream, err: err.stream, stdin }, handlers)
  }

  get ended(): AbortSignal {
    return this.#ended.signal
  }

  show(look: LiveLook): void {
    this.#look = look
    this.#draw()
  }

  /** A command that runs in its terminal ends first. */
  async close(): Promise<void> {
    await this.#command
    this.#screen.close()
  }

  #draw(): void {
    const { columns, rows } = this.#screen
    const notice = lastLine(this.#notices.at(-1) ?? '')
    const { lines, top } = liveFrame(this.#look, { ...this.#view, columns, rows, notice }, this.#how)
    this.#view = { ...this.#view, top }
    this.#screen.draw(lines, this.#write)
  }

  #onKey(key: string): void {
    const page = Math.max(1, this.#screen.rows - besidePage)
    const after = afterKey(this.#view, key, { count: serviceCount(this.#look), page })
    if (typeof after === 'string') return this.#perform(after)
    this.#view = { ...this.#view, ...after }
    this.#draw()
  }

  #perform(command: LiveCommand): void {
    if (command === 'quit') return this.#ended.abort()
    const words = commandFor(this.#run, command, serviceAt(this.#look, this.#view.selected))
    if (words !== undefined) this.#command = runLiveCommand(this.#run.context, this.#screen, words)
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? ''
}

function localTime(at: string): string {
  return new Date(at).toTimeString().slice(0, 8)
}
