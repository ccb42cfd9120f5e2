import { constants, type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { JournalSink } from './journal.ts'

/** A new file that lines are added to. Throws what the file system says where it cannot be made, or is there already. */
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
        // The half line of a full disk goes away again, for another one may come behind it once there is room.
        await file.truncate(length).catch(() => undefined)
        throw error
      }
    },
    [Symbol.asyncDispose]: () => file.close(),
  }
}

/** After a crash of the machine a file is only there if its folder knows of it. */
async function flushFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined
  try {
    folder = await open(path, constants.O_RDONLY)
    await folder.sync()
  } finally {
    await folder?.close()
  }
}
