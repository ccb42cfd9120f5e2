import { constants, type FileHandle, lstat, open } from 'node:fs/promises'

/** Why a file that converge left on this machine cannot be read; `message` is a few words behind the file's name. */
export class UnreadableFile extends Error {
  /** What the system calls it (`ENOENT`); absent where it is we who do not read it. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.name = 'UnreadableFile'
    this.code = code
  }
}

/**
 * What is in a file that an earlier run left. Only a regular file is read: a pipe is waited for, a device has no end, and what is behind
 * a link was put there by somebody else.
 *
 * @param most bytes; a larger file is not read at all
 * @throws UnreadableFile
 */
export function readOwnFile(path: string, most: number): Promise<string> {
  return withRegularFile(path, (file, size) => {
    if (size > most) throw new UnreadableFile(`it is larger than ${Math.floor(most / 1024 ** 2)} MiB`)
    return readUpTo(file, size)
  })
}

/**
 * How such a file begins.
 *
 * @param bytes so many at most
 * @throws UnreadableFile
 */
export function readOwnHead(path: string, bytes: number): Promise<string> {
  return withRegularFile(path, (file, size) => readUpTo(file, Math.min(size, bytes)))
}

async function withRegularFile(path: string, read: (file: FileHandle, size: number) => Promise<string>): Promise<string> {
  let file: FileHandle | undefined
  try {
    mustBeRegular(await lstat(path))
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    // Looked at once more: it may be another one by now.
    const found = await file.stat()
    mustBeRegular(found)
    return await read(file, found.size)
  } catch (error) {
    if (error instanceof UnreadableFile || !(error instanceof Error && 'code' in error)) throw error
    throw new UnreadableFile(error.message.split(', ')[0] ?? '', String(error.code))
  } finally {
    await file?.close()
  }
}

type Found = Awaited<ReturnType<typeof lstat>>

function mustBeRegular(found: Found): void {
  if (found.isFile()) return
  const what = kinds.find(([is]) => is(found))?.[1] ?? 'something else'
  throw new UnreadableFile(`it is no regular file but ${what}`)
}

const kinds: readonly (readonly [(found: Found) => boolean, string])[] = [
  [(found) => found.isDirectory(), 'a folder'],
  [(found) => found.isSymbolicLink(), 'a link'],
  [(found) => found.isFIFO(), 'a named pipe'],
  [(found) => found.isSocket(), 'a socket'],
  [(found) => found.isCharacterDevice() || found.isBlockDevice(), 'a device'],
]

/** What is added meanwhile is left for another time. */
async function readUpTo(file: FileHandle, size: number): Promise<string> {
  const buffer = Buffer.alloc(size)
  let length = 0
  while (length < size) {
    const { bytesRead } = await file.read(buffer, length, size - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.toString('utf8', 0, length)
}
