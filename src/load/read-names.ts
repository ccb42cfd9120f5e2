import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { InventoryTexts } from '../inventory/list-names.ts'
import { findBesideFile, findInDirectory } from './find-files.ts'
import { readGivenFile } from './read-regular-file.ts'
import { leadsAstray, leadsOut, type RealFolder, realFolder } from './real-folder.ts'

/** Larger than the hosts of any fleet. */
const mostBytes = 4 * 1024 ** 2

/** Number of files read concurrently. */
const sideBySide = 64

/**
 * The texts of an inventory, to list its names; a file that cannot be read is skipped. Throws where there is no inventory.
 *
 * @param isClosed links out of the inventory are not followed
 */
export async function readInventoryTexts(path: string, { isClosed }: { readonly isClosed: boolean }): Promise<InventoryTexts> {
  if (isClosed && leadsAstray(path)) return { hosts: [], vars: [] }
  const folder = (await stat(path)).isDirectory() ? path : dirname(path)
  const within = await realFolder(folder, { isClosed, named: path })
  const found = folder === path ? await findInDirectory(path, within) : await findBesideFile(path, folder, within)
  const budget = { left: mostBytes }
  const read = reader(within, budget)
  const hosts = await inBatches(
    found.hosts.map((host) => ({ path: host })),
    read,
  )
  return { hosts, vars: await inBatches(found.vars, read) }
}

async function inBatches<T>(items: readonly T[], read: (item: T) => Promise<readonly (T & { text: string })[]>) {
  const texts: (T & { text: string })[] = []
  for (let at = 0; at < items.length; at += sideBySide)
    texts.push(...(await Promise.all(items.slice(at, at + sideBySide).map(read))).flat())
  return texts
}

/** Reads one file, or nothing if it cannot be read or all files together are too large. */
function reader(within: RealFolder, budget: { left: number }) {
  return async <T extends { readonly path: string }>(file: T): Promise<readonly (T & { text: string })[]> => {
    if (within.isClosed && (await leadsOut(within, file.path))) return []
    try {
      const { bytes } = await readGivenFile(file.path, budget.left)
      budget.left -= bytes.length
      return budget.left < 0 ? [] : [{ ...file, text: bytes.toString('utf8').replace(/^\uFEFF/, '') }]
    } catch {
      return []
    }
  }
}
