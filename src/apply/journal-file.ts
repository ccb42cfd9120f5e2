import { constants, type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { JournalSink } from './journal.ts'

/** Creates a file to append lines to. Throws the file system's error when it exists or cannot be created. */
export async function openJournalFile(path: string): Promise<JournalSink & AsyncDisposable> {
  const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants
  const file = await open(path, O_APPEND | O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600)
  await flushFolder(dirname(path))
  let length = 0
  return {
    append: async (text) => {
      try {
        await file.appendFile(text)
        await file.datasync()
        length += Buffer.byteLength(text)
      } catch (error) {
        // Remove a line that a full disk cut short: another line may follow once there is space.
        await file.truncate(length).catch(() => undefined)
        throw error
      }
    },
    [Symbol.asyncDispose]: () => file.close(),
  }
}

/** After a crash of the machine a file exists only if its folder was flushed. */
async function flushFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined
  try {
    folder = await open(path, constants.O_RDONLY)
    await folder.sync()
  } finally {
    await folder?.close()
  }
}
