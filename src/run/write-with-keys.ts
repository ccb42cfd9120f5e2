import { rm } from 'node:fs/promises'
import type { NextStep } from '../model/next-step.ts'
import { storeKey } from '../state/store-key.ts'
import type { Adoption } from './adopt/adopt-servers.ts'
import { writeEdits } from './write-edits.ts'

/**
 * Writes services into the inventory, and first their keys: a service without its key could not be planned. The keys are removed again if the
 * inventory cannot be written.
 *
 * @throws ConvergeError as `writeEdits` and `storeKey` do
 */
export async function writeWithKeys(
  { edits, keys }: Pick<Adoption, 'edits' | 'keys'>,
  options: { readonly next: readonly NextStep[] },
): Promise<void> {
  const created: string[] = []
  try {
    for (const [file, key] of keys) if (await storeKey(file, key)) created.push(file)
    await writeEdits(edits, options)
  } catch (error) {
    await Promise.all(created.map((file) => rm(file, { force: true })))
    throw error
  }
}
