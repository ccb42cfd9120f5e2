import type { Stats } from 'node:fs'
import { constants, type FileHandle, lstat, open, stat } from 'node:fs/promises'
import { tooLarge, UnreadableFile } from '../inventory/unreadable-file.ts'
import { readPipe } from './read-pipe.ts'

/**
 * The content of a file that an earlier run left. Only regular files are read: a pipe may block, a device has no end, and a link was put there
 * by another user.
 *
 * @param most bytes; larger files are not read at all
 * @throws UnreadableFile
 */
export async function readOwnFile(path: string, most: number): Promise<string> {
  return text(await withRegularFile(path, { followsLinks: false }, readAll(most)))
}

/**
 * The start of such a file.
 *
 * @param bytes at most this many
 * @throws UnreadableFile
 */
export async function readOwnHead(path: string, bytes: number): Promise<string> {
  return text(await withRegularFile(path, { followsLinks: false }, (file, { size }) => readUpTo(file, Math.min(size, bytes))))
}

/**
 * The content of a file that the user names, links followed. A pipe is only read if a shell created it for this run (`<(op read …)`).
 *
 * @param most bytes; larger files are not read at all
 * @throws UnreadableFile
 */
export function readGivenFile(path: string, most: number, signal?: AbortSignal): Promise<GivenFile> {
  return withRegularFile(path, { followsLinks: true }, async (file, found) => {
    const bytes = found.isFIFO() ? await readPipe(file, most, signal) : await readAll(most)(file, found)
    // Pipes from a shell are in no folder where other users could replace them.
    return { bytes, mode: found.isFIFO() ? 0o600 : found.mode }
  })
}

interface GivenFile {
  readonly bytes: Buffer
  readonly mode: number
}

interface LinkPolicy {
  readonly followsLinks: boolean
}

async function withRegularFile<T>(
  path: string,
  links: LinkPolicy,
  read: (file: FileHandle, found: Stats) => Promise<T>,
): Promise<T> {
  let file: FileHandle | undefined
  const mayBePipe = links.followsLinks && handedOver.test(path)
  try {
    // Opening a device may have side effects.
    mustBeRegular(await (links.followsLinks ? stat : lstat)(path), mayBePipe)
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
    file = await open(path, O_RDONLY | O_NONBLOCK | (links.followsLinks ? 0 : O_NOFOLLOW))
    // Checked again: it may have been replaced.
    const found = await file.stat()
    mustBeRegular(found, mayBePipe)
    return await read(file, found)
  } catch (error) {
    if (error instanceof UnreadableFile || !(error instanceof Error && 'code' in error)) throw error
    throw new UnreadableFile(error.message.split(', ')[0] ?? '', String(error.code))
  } finally {
    await file?.close()
  }
}

/** The path of `<(…)` in the program that receives it. */
const handedOver = /^\/(?:dev|proc\/self)\/fd\/\d+$/u

function mustBeRegular(found: Stats, mayBePipe: boolean): void {
  if (found.isFile() || (mayBePipe && found.isFIFO())) return
  const what = kinds.find(([is]) => is(found))?.[1] ?? 'something else'
  throw new UnreadableFile(`it is not a regular file but ${what}`)
}

const kinds: readonly (readonly [(found: Stats) => boolean, string])[] = [
  [(found) => found.isDirectory(), 'a folder'],
  [(found) => found.isSymbolicLink(), 'a link'],
  [(found) => found.isFIFO(), 'a named pipe'],
  [(found) => found.isSocket(), 'a socket'],
  [(found) => found.isCharacterDevice() || found.isBlockDevice(), 'a device'],
]

function readAll(most: number): (file: FileHandle, found: Stats) => Promise<Buffer> {
  return async (file, { size }) => {
    if (size > most) throw tooLarge(most)
    return readUpTo(file, size)
  }
}

/** Ignores data that is appended meanwhile. */
async function readUpTo(file: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size)
  let length = 0
  while (length < size) {
    const { bytesRead } = await file.read(buffer, length, size - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

function text(bytes: Buffer): string {
  return bytes.toString('utf8')
}
