import { join, resolve } from 'node:path'
import type { Context } from '../context/context.ts'
import { digestOf } from '../lib/digest.ts'
import { readOwnFile } from '../load/read-regular-file.ts'
import type { DriftDocument } from '../model/drift.ts'
import { openStateFolder, stateFolder } from './state-folder.ts'
import { writeWhole } from './write-whole.ts'

const folderName = 'drift'

/** The last report for the same inventory, hosts and services. */
interface LastDrift {
  /** Whether the findings are the same as in that report. */
  isSame(document: DriftDocument): boolean
  /** @throws ConvergeError if it cannot be written */
  remember(document: DriftDocument): Promise<void>
}

/** An unreadable state counts as none, so everything is reported again. */
export async function readLastDrift(
  context: Pick<Context, 'env' | 'cwd'>,
  asked: { readonly inventory: string; readonly hosts: readonly string[]; readonly services: readonly string[] },
): Promise<LastDrift> {
  const name = digestOf({ ...asked, inventory: resolve(context.cwd, asked.inventory) }).slice(0, 32)
  const before = await readOwnFile(join(stateFolder(context), folderName, name), 4096).catch(() => '')
  return {
    isSame: ({ digest }) => before.trim() === digest,
    remember: async ({ digest }) => writeWhole(join(await openStateFolder(context, folderName), name), `${digest}\n`),
  }
}
