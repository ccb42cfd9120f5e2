import type { RemoteProcess } from './remote/remote-process.ts'

/** Sessions that wait for a script, because opening one and starting its shell take two round trips. */
export interface SpareSessions {
  /** A session that was started with these words; undefined: none is open. */
  take(line: string): Promise<RemoteProcess | undefined>
  /** Opens in the background what is missing of those that were wanted once. */
  refill(line: string, isWanted: boolean): void
  /** Closes all and opens no more. */
  stop(): void
}

/** Of each kind: the first is used when the script before it ends, and the second is opened meanwhile. */
const most = 2
/** An older one is not used: something on the host, like sudo's `command_timeout`, may be about to end it. */
const oldestMs = 5 * 60_000
/** Bytes of start-up files; a shell that waits for its script prints nothing else. */
const noiseLimit = 64 * 1024

interface Spare {
  readonly line: string
  /** Undefined: it could not be opened. */
  readonly opened: Promise<Waiting | undefined>
}

interface Waiting {
  readonly process: RemoteProcess
  /** Undefined: it has ended meanwhile. */
  take(): RemoteProcess | undefined
}

/** @param open starts a shell with these words; after a failure there are no more spares */
export function createSpareSessions(open: (line: string) => Promise<RemoteProcess>): SpareSessions {
  let spares: readonly Spare[] = []
  const wanted = new Set<string>()
  let isStopped = false
  const stop = (): void => {
    isStopped = true
    for (const { opened } of spares) void opened.then((one) => one?.process.abandon())
    spares = []
  }
  const openOne = async (line: string): Promise<Waiting | undefined> => {
    try {
      const one = waiting(await open(line))
      if (!isStopped) return one
      one.process.abandon()
    } catch {
      stop()
    }
    return undefined
  }
  const take = async (line: string): Promise<RemoteProcess | undefined> => {
    const spare = spares.find((one) => one.line === line)
    if (spare === undefined) return undefined
    spares = spares.filter((one) => one !== spare)
    return (await spare.opened)?.take() ?? take(line)
  }
  return {
    take,
    stop,
    refill(line, isWanted) {
      if (isWanted) wanted.add(line)
      const missing = isStopped || !wanted.has(line) ? 0 : most - spares.filter((one) => one.line === line).length
      for (let count = 0; count < missing; count++) spares = [...spares, { line, opened: openOne(line) }]
    },
  }
}

/** Its output is dropped: nothing of it belongs to a script, and a host could send any amount. */
function waiting(process: RemoteProcess): Waiting {
  const { stdin, stdout, stderr } = process
  const openedAt = performance.now()
  let isOver = false
  let bytes = 0
  const drop = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes > noiseLimit) process.abandon()
  }
  stdin.on('error', () => undefined)
  stdout.on('data', drop)
  stderr.on('data', drop)
  void process.closed.then(() => (isOver = true))
  const take = (): RemoteProcess | undefined => {
    stdout.off('data', drop)
    stderr.off('data', drop)
    if (performance.now() - openedAt < oldestMs) return isOver || bytes > noiseLimit ? undefined : process
    process.abandon()
    return undefined
  }
  return { process, take }
}
