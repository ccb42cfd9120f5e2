import { constants, createWriteStream, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import type { RunEvent } from '../model/event.ts'

/** Events as they happen, for another program: one JSON object a line, each with `at` (ISO 8601). */
export interface EventStream {
  emit(event: RunEvent): void
  /** Waits for what was written, but not for long: who reads may have gone, or may never read. */
  close(): Promise<void>
}

/** Milliseconds for a reader that is slow. */
const patienceMs = 2000

/** Not blocking: the other end of a pipe may not be there. */
const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK

/**
 * @param target a file, which begins anew, a named pipe that somebody reads, or the number of a descriptor that is open
 * @throws Error of the file system, where it cannot be written to
 */
export function openEventStream(target: string, now: () => Date): EventStream {
  const stream = writableOf(/^\d+$/.test(target) ? Number(target) : openSync(target, flags, 0o600))
  // A reader that went away does not end a run.
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

/** A thread that writes to a pipe nobody empties would keep the process alive; a socket does not. */
function writableOf(fd: number): Writable {
  const seen = fstatSync(fd)
  return seen.isFIFO() || seen.isSocket() ? new Socket({ fd, readable: false, writable: true }) : createWriteStream('', { fd })
}
