import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'

const folder = 'inventories'

/**
 * Which inventory is meant when `-i` is not given: `$CONVERGE_INVENTORY`, else the only directory in `inventories/`. Throws
 * `INVENTORY.WHICH` instead of guessing.
 */
export async function defaultInventory(cwd: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const named = env['CONVERGE_INVENTORY']
  if (named !== undefined && named !== '') return named
  const candidates = await directoriesIn(join(cwd, folder))
  const [only] = candidates
  if (only !== undefined && candidates.length === 1) return relative(process.cwd(), join(cwd, folder, only))
  throw new ConvergeError('INVENTORY.WHICH', {
    summary: 'It is not clear which inventory is meant.',
    why:
      only === undefined
        ? `Neither \`-i\` nor $CONVERGE_INVENTORY is set, and there is no directory in ${join(cwd, folder)}.`
        : `Neither \`-i\` nor $CONVERGE_INVENTORY is set, and \`${folder}/\` holds ${candidates.length} inventories: ${candidates.join(', ')}.`,
    next: [
      ...(only === undefined ? ['add: -i PATH'] : candidates.map((name) => `add: -i ${folder}/${name}`)),
      `or: export CONVERGE_INVENTORY=${only === undefined ? 'PATH' : `${folder}/${only}`}`,
    ],
  })
}

async function directoriesIn(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
      .map((entry) => entry.name)
      .toSorted()
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return []
    throw error
  }
}
