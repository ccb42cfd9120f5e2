import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Context } from '../../context/context.ts'
import type { NewFiles } from '../../inventory/create/new-inventory.ts'
import { notWritten } from '../../state/write-whole.ts'
import { type HostFlags, type Run, withRun } from '../run.ts'

/** Does the work over an inventory that is not written yet: it is in a temporary folder of this account, and removed afterwards. */
export async function withDraft<T>(
  context: Context,
  flags: HostFlags,
  files: NewFiles,
  work: (run: Run, folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'converge-init-')).catch((error: unknown) => {
    throw notWritten(tmpdir(), error, 'Nothing was written.')
  })
  try {
    await writeDraft(folder, files)
    return await withRun(context, { ...flags, inventory: folder }, (run) => work(run, folder))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeDraft(folder: string, files: NewFiles): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path)
    try {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
    } catch (error) {
      throw notWritten(file, error, 'Nothing was written.')
    }
  }
}
