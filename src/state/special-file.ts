import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, stat, writeFile } from 'node:fs/promises'

/** How long to wait for a reader of a named pipe: both sides may have been started at once. */
const patienceMs = 5000
const pauseMs = 50

const ownStreams = ['stdout', 'stderr', 'fd/1', 'fd/2'].map((name) => `/dev/${name}`)

/** Why the file cannot be written, in a few words; undefined: no obstacle, or the file does not exist yet. */
export async function unfit(file: string): Promise<string | undefined> {
  // The normal output goes there too; and if it leads to a file, converge would replace that file while writing to it.
  if (ownStreams.includes(file) || /^\/proc\/self\/fd\/[12]$/.test(file))
    return 'output goes there anyway; use `--format FORMAT` without a file to print that format'
  const found = await stat(file).catch(() => undefined)
  return found?.isDirectory() === true ? 'it is a folder' : undefined
}

/**
 * Writes to a special file (`/dev/null`, a pipe).
 *
 * @throws Error if it cannot be written, or the pipe has no reader
 */
export async function writeSpecial(file: string, found: Stats, content: string | Iterable<string>): Promise<void> {
  if (!found.isFIFO()) return writeFile(file, content)
  // Opening a pipe blocks until there is a reader and cannot be aborted. It is held open, so that the second open does not block.
  const held = await openForReader(file)
  try {
    const pipe = await open(file, constants.O_WRONLY)
    await held.close()
    try {
      await pipe.writeFile(content)
    } finally {
      await pipe.close()
    }
  } finally {
    await held.close().catch(() => undefined)
  }
}

async function openForReader(file: string): Promise<FileHandle> {
  for (let waited = 0; ; waited += pauseMs) {
    try {
      return await open(file, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENXIO')) throw error
      if (waited >= patienceMs) throw new Error('it is a named pipe without a reader', { cause: error })
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}
