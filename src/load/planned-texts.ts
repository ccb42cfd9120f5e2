import { realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { FileEdit } from '../model/file-edit.ts'
import { type FoundVars, ownerOf } from './find-files.ts'

/** Texts to read in place of files, by real path. */
export type PlannedTexts = ReadonlyMap<string, string>

export async function plannedTexts(edits: readonly FileEdit[]): Promise<PlannedTexts> {
  return new Map(await Promise.all(edits.map(async ({ file, after }) => [await realPath(file), after] as const)))
}

/** Also of a file that does not exist yet, in folders that may not exist either. */
export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const folder = dirname(resolve(path))
    return folder === resolve(path) ? folder : join(await realPath(folder), basename(path))
  }
}

/** Files of hosts that only exist in the edits; those of a folder come after its other files. */
export async function plannedVars(
  folder: string,
  texts: PlannedTexts,
  found: readonly FoundVars[],
): Promise<readonly FoundVars[]> {
  if (texts.size === 0) return []
  const hostVars = join(folder, 'host_vars')
  const [root, known] = await Promise.all([realPath(hostVars), Promise.all(found.map(({ path }) => realPath(path)))])
  return [...texts.keys()].flatMap((file) => {
    const [name, ...below] = relative(root, file).split(sep)
    if (name === undefined || name === '..' || known.includes(file)) return []
    return [{ path: join(hostVars, name, ...below), level: 'host' as const, owner: below.length > 0 ? name : ownerOf(name) }]
  })
}
