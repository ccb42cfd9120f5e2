import { styleText } from 'node:util'
import type { DefaultRenderer, ListrTask, PresetTimer } from 'listr2'
import type { RunEvent } from '../model/event.ts'
import { duration } from '../report/duration.ts'
import { type Board, createBoard, type Row } from './board.ts'
import type { Display } from './display.ts'
import { batchWords, fetchWords, phaseWords } from './event-words.ts'
import { createFileBoard } from './file-board.ts'
import { giveWay } from './give-way.ts'

/**
 * More rows are unreadable, and listr2 11 cannot draw them: 30 rows cost it a quarter of a processor, 200 rows stop the process for seconds,
 * and rows that do not fit the terminal cost three times as much.
 */
const mostRows = 30
const otherLines = 4

/** Live progress on a terminal: a list for each look at the hosts and for each batch, one row per host while they fit. */
export function createListrDisplay(stream: NodeJS.WriteStream): Display {
  let live: LiveList | undefined
  let shown = false
  // One after another: a list releases the terminal before the next one takes it.
  let turn: Promise<void> = Promise.resolve()
  const open = (heading: string, board: Board): void => {
    endLive()
    const list = createLiveList(stream, heading, board)
    live = list
    shown = true
    turn = turn.then(() => list.show())
  }
  const endLive = (): void => {
    live?.end()
    live = undefined
  }
  const emit = (event: RunEvent): void => {
    const room = Math.min(mostRows, (stream.rows ?? 24) - otherLines)
    if (event.type === 'phase' && event.phase !== 'apply')
      open(phaseWords(event.phase, event.hosts), createBoard(event.hosts, room))
    else if (event.type === 'batch-started') open(batchWords(event), createBoard(event.hosts, room))
    else if (event.type === 'fetch-started')
      open(fetchWords(event.files.length), createFileBoard(event.files, room, stream.columns))
    else if (event.type === 'finished') endLive()
    else live?.take(event)
  }
  return {
    emit,
    stop: async () => {
      endLive()
      await turn
      // The result comes next.
      if (shown) stream.write('\n')
      shown = false
    },
  }
}

interface LiveList {
  take(event: RunEvent): void
  /** Ends all open rows as not done. */
  end(): void
  /** Draws until every row has ended. */
  show(): Promise<void>
}

function createLiveList(stream: NodeJS.WriteStream, heading: string, board: Board): LiveList {
  const watchers = new Map<string, (row: Row) => void>()
  const notify = (): void => {
    for (const row of board.rows()) watchers.get(row.key)?.(row)
  }
  return {
    take: (event) => {
      if (board.apply(event)) notify()
    },
    end: () => {
      board.close()
      notify()
    },
    show: () => show(stream, heading, board, watchers),
  }
}

async function show(
  stream: NodeJS.WriteStream,
  heading: string,
  board: Board,
  watchers: Map<string, (row: Row) => void>,
): Promise<void> {
  const { DefaultRenderer, Listr, ListrLogger, ProcessOutput } = await import('listr2')
  const given = giveWay(stream, (text) => above.notice(text))
  const above: Above = { write: given.write, notice: given.write }
  const renderer = rendererOnStderr(DefaultRenderer, above)
  const tasks: ListrTask<unknown, typeof renderer>[] = board.rows().map((row) => ({
    title: row.text,
    task: async (_context, task) => {
      const end = await follow(row, board, watchers, (text) => {
        task.title = text
      })
      if (end.state === 'skipped') task.skip()
      if (end.state === 'failed') throw new Error(end.text)
    },
  }))
  const view = viewOf(stream, given.write)
  const logger = new ListrLogger({ useIcons: true, processOutput: new ProcessOutput(view, view, { leaveEmptyLine: false }) })
  const list = new Listr(tasks, {
    concurrent: true,
    exitOnError: false,
    collectErrors: false,
    // By default listr2 ends the process at the first interrupt.
    registerSignalListeners: false,
    renderer,
    rendererOptions: { logger, formatOutput: 'truncate', showErrorMessage: false, showSkipMessage: false, timer },
  })
  try {
    given.write(`${heading}\n`)
    await list.run()
    given.write(board.epilogue())
  } finally {
    given.stop()
  }
}

/** Behind the row of a host that took a second or longer: how long. */
const timer: PresetTimer = {
  condition: (ms) => ms >= 1000,
  field: duration,
  format:
    () =>
    (text = '') =>
      styleText('dim', text),
}

/** Where other writers' text goes: above the rows, while there are rows. */
interface Above {
  readonly write: (text: string) => unknown
  notice: (text: string) => unknown
}

function rendererOnStderr(Renderer: typeof DefaultRenderer, above: Above) {
  return class extends Renderer {
    /** listr2 asks whether stdout is a terminal. This is stderr, and stdout can be a file. */
    static override nonTTY = true
    #hidden = false
    override create(options?: Parameters<DefaultRenderer['create']>[0]): string {
      return this.#hidden ? '' : super.create(options)
    }
    override async render(): Promise<void> {
      await super.render()
      above.notice = (text) => this.#makeRoom(text)
    }
    override end(): void {
      above.notice = above.write
      super.end()
    }
    /** An empty frame erases what is drawn and takes one line of its own; the next frame takes that line and the one above it. */
    #makeRoom(text: string): void {
      this.#hidden = true
      this.update()
      above.write(`${text.endsWith('\n') ? text : `${text}\n`}\n`)
      this.#hidden = false
      this.update()
    }
  }
}

/** Resolves with the row's end. */
async function follow(
  { key }: Row,
  board: Board,
  watchers: Map<string, (row: Row) => void>,
  update: (text: string) => void,
): Promise<Row> {
  const over = Promise.withResolvers<Row>()
  const watch = (now: Row): void => {
    update(now.text)
    if (now.state !== 'waiting' && now.state !== 'running') over.resolve(now)
  }
  watchers.set(key, watch)
  // The row can end before it is watched.
  for (const now of board.rows()) if (now.key === key) watch(now)
  return over.promise
}

/**
 * listr2 replaces the `write` of its stream and holds back what other writers send until it ends. It gets a view of the stream, so the
 * stream itself keeps its `write`.
 */
function viewOf(stream: NodeJS.WriteStream, write: NodeJS.WriteStream['write']): NodeJS.WriteStream {
  const view: NodeJS.WriteStream = Object.create(stream, {
    write: { value: write, writable: true, enumerable: true },
    columns: { get: () => stream.columns, enumerable: true },
    rows: { get: () => stream.rows, enumerable: true },
    isTTY: { get: () => stream.isTTY, enumerable: true },
  })
  return view
}
