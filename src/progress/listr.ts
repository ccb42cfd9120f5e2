import type { ListrTask } from 'listr2'
import type { RunEvent } from '../model/event.ts'
import { type Board, createBoard, type Row } from './board.ts'
import type { Display } from './display.ts'
import { batchWords, phaseWords } from './event-words.ts'

/** More rows than this are read by nobody; besides, they have to fit the terminal, or the top of the list is never seen. */
const mostRows = 30
const otherLines = 4

/** Live progress on a terminal: a list for each look at the hosts and for each batch, one row per host while they fit. */
export function createListrDisplay(stream: NodeJS.WriteStream): Display {
  let live: LiveList | undefined
  // One after another: a list lets go of the terminal before the next one takes it.
  let turn: Promise<void> = Promise.resolve()
  const open = (heading: string, hosts: readonly string[]): void => {
    endLive()
    const list = createLiveList(stream, heading, hosts)
    live = list
    turn = turn.then(() => list.show())
  }
  const endLive = (): void => {
    live?.end()
    live = undefined
  }
  const emit = (event: RunEvent): void => {
    if (event.type === 'phase' && event.phase !== 'apply') open(phaseWords(event.phase, event.hosts), event.hosts)
    else if (event.type === 'batch-started') open(batchWords(event), event.hosts)
    else if (event.type === 'finished') endLive()
    else live?.take(event)
  }
  return {
    emit,
    stop: async () => {
      endLive()
      await turn
    },
  }
}

interface LiveList {
  take(event: RunEvent): void
  /** What has not ended will not. */
  end(): void
  /** Draws until every row has ended. */
  show(): Promise<void>
}

function createLiveList(stream: NodeJS.WriteStream, heading: string, hosts: readonly string[]): LiveList {
  const board = createBoard(hosts, Math.min(mostRows, (stream.rows ?? 24) - otherLines))
  const watchers = new Map<string, (row: Row) => void>()
  const tell = (): void => {
    for (const row of board.rows()) watchers.get(row.key)?.(row)
  }
  return {
    take: (event) => {
      if (board.apply(event)) tell()
    },
    end: () => {
      board.close()
      tell()
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
  /** listr2 asks whether stdout is a terminal; ours is stderr, and stdout may well be a file. */
  class OnStderr extends DefaultRenderer {
    static override nonTTY = true
  }
  const view = viewOf(stream)
  const logger = new ListrLogger({ useIcons: true, processOutput: new ProcessOutput(view, view, { leaveEmptyLine: false }) })
  const tasks: ListrTask<unknown, typeof OnStderr>[] = board.rows().map((row) => ({
    title: row.text,
    task: async (_context, task) => {
      const over = Promise.withResolvers<Row>()
      const watch = (now: Row): void => {
        task.title = now.text
        if (now.state === 'done' || now.state === 'failed' || now.state === 'skipped') over.resolve(now)
      }
      watchers.set(row.key, watch)
      for (const now of board.rows()) if (now.key === row.key) watch(now)
      const end = await over.promise
      if (end.state === 'skipped') task.skip()
      if (end.state === 'failed') throw new Error(end.text)
    },
  }))
  stream.write(`${heading}\n`)
  const list = new Listr(tasks, {
    concurrent: true,
    exitOnError: false,
    collectErrors: false,
    // Otherwise listr2 ends the process at the first interrupt.
    registerSignalListeners: false,
    renderer: OnStderr,
    rendererOptions: { logger, formatOutput: 'truncate', showErrorMessage: false, showSkipMessage: false },
  })
  await list.run()
}

/**
 * listr2 takes over the `write` of what it draws on, and holds back what others write there until it is done. Given a view of
 * the stream, it leaves the stream itself alone, and a notice (`Interrupted: …`) is seen when it is given.
 */
function viewOf(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const view: NodeJS.WriteStream = Object.create(stream, {
    write: { value: stream.write.bind(stream), writable: true, enumerable: true },
    columns: { get: () => stream.columns, enumerable: true },
    rows: { get: () => stream.rows, enumerable: true },
    isTTY: { get: () => stream.isTTY, enumerable: true },
  })
  return view
}
