import { constants, createWriteStream, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import type { RunEvent } from '../model/event.ts'

/** Events for another program as they happen: one JSON object per line, each with `at` (ISO 8601). */
export interface EventStream {
  emit(event: RunEvent): void
  /** Waits until the events are written, but not for long: the reader can be gone. */
  close(): Promise<void>
}

/** Milliseconds for a slow reader. */
const patienceMs = 2000

/** Not blocking: a pipe can be without a reader. */
const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK

/**
 * @param target a file, which is overwritten, a named pipe with a reader, or the number of an open descriptor
 * @throws Error of the file system, if the target cannot be written
 */
export function openEventStream(target: string, now: () => Date): EventStream {
  const stream = writableOf(/^\d+$/.test(target) ? Number(target) : openSync(target, flags, 0o600))
  // The run continues without its reader.
  stream.on('error', () => undefined)
  return {
    emit: (event) => {
      stream.write(`${JSON.stringify({ at: now().toISOString(), ...event })}\n`)
    },
    close: () =>
      new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer)
          stream.destroy()
          resolve()
        }
        const timer = setTimeout(finish, patienceMs)
        stream.once('error', finish)
        stream.end(finish)
      }),
  }
}

/** A thread that writes to a full pipe keeps the process alive; a socket does not. */
function writableOf(fd: number): Writable {
  const seen = fstatSync(fd)
  return seen.isFIFO() || seen.isSocket() ? new Socket({ fd, readable: false, writable: true }) : createWriteStream('', { fd })
}
