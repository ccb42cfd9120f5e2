import type { FileHandle } from 'node:fs/promises'
import { tooLarge, UnreadableFile } from '../inventory/unreadable-file.ts'

/** How long the program at the other end may take, and the polling interval. */
const patienceMs = 60_000
const pauseMs = 50

/**
 * The content of a pipe that was opened with `O_NONBLOCK`, until its writers close it.
 *
 * @param most bytes
 * @throws UnreadableFile if there is too much, or no end
 */
export async function readPipe(file: FileHandle, most: number, signal?: AbortSignal): Promise<Buffer> {
  const buffer = Buffer.alloc(most + 1)
  let length = 0
  for (const since = performance.now(); performance.now() - since < patienceMs; ) {
    signal?.throwIfAborted()
    const bytesRead = await readWaiting(file, buffer, length)
    if (bytesRead === 0) return buffer.subarray(0, length)
    length += bytesRead ?? 0
    if (length > most) throw tooLarge(most)
    if (bytesRead === undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  throw new UnreadableFile(`it did not end within ${patienceMs / 1000} seconds`)
}

/** Undefined: no data yet. */
async function readWaiting(file: FileHandle, buffer: Buffer, length: number): Promise<number | undefined> {
  try {
    return (await file.read(buffer, length, buffer.length - length, null)).bytesRead
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined
    throw error
  }
}
