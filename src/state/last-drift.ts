import { join, resolve } from 'node:path'
import type { Context } from '../context/context.ts'
import { digestOf } from '../lib/digest.ts'
import { readOwnFile } from '../load/read-regular-file.ts'
import type { DriftDocument } from '../model/drift.ts'
import { openStateFolder, stateFolder } from './state-folder.ts'
import { writeWhole } from './write-whole.ts'

const folderName = 'drift'

/** What was reported last of the same question: this inventory, these hosts, these services. */
interface LastDrift {
  /** Whether the same is found now that was reported then. */
  isSame(document: DriftDocument): boolean
  /** @throws ConvergeError where it cannot be written down */
  remember(document: DriftDocument): Promise<void>
}

/** What cannot be read counts as nothing reported yet: then it is reported again. */
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
