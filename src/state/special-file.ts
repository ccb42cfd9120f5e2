import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, stat, writeFile } from 'node:fs/promises'

/** How long somebody may take to read from a pipe that was named: who starts both at once does not know who is first. */
const patienceMs = 5000
const pauseMs = 50

const ownStreams = ['stdout', 'stderr', 'fd/1', 'fd/2'].map((name) => `/dev/${name}`)

/** Why nothing can be written there, in a few words; undefined: nothing speaks against it, or nothing is there yet. */
export async function unfit(file: string): Promise<string | undefined> {
  // Beside it goes what is printed anyway; and where it leads to a file, that would be replaced under the eyes of who writes to it.
  if (ownStreams.includes(file) || /^\/proc\/self\/fd\/[12]$/.test(file))
    return 'what goes to the terminal is printed there already; `--format FORMAT` without a file prints it in that form'
  const found = await stat(file).catch(() => undefined)
  return found?.isDirectory() === true ? 'it is a folder' : undefined
}

/**
 * Writes to what is no file (`/dev/null`, a pipe).
 *
 * @throws Error where it cannot be written to, or nobody reads from the pipe
 */
export async function writeSpecial(file: string, found: Stats, content: string): Promise<void> {
  if (!found.isFIFO()) return writeFile(file, content)
  // To open a pipe waits for its reader, and nothing ends that. Held open meanwhile, so that the second opening does not wait.
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
      if (waited >= patienceMs) throw new Error('it is a named pipe that nobody reads from', { cause: error })
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}
