import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { issueOutside } from '../inventory/source-text.ts'
import { converge, shell } from '../lib/next-command.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import { invalid } from './invalid.ts'
import type { LoadOptions } from './load.ts'
import { reasonOf } from './read-source.ts'
import { leadsAstray } from './real-folder.ts'

const folder = 'inventories'

type Surroundings = { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> }

/**
 * The inventory to use without `-i`: `$CONVERGE_INVENTORY`, else the only directory in `inventories/`. Throws `INVENTORY.WHICH` instead of
 * guessing, and `INVENTORY.INVALID` if links are closed and one leads outside, which is not listed.
 */
export async function defaultInventory({ cwd, env }: Surroundings, { isClosed = false }: LoadOptions = {}): Promise<string> {
  const named = env['CONVERGE_INVENTORY']
  if (named !== undefined && named !== '') return named
  const path = join(cwd, folder)
  if (isClosed && leadsAstray(path)) throw invalid('INVENTORY.INVALID', path, [issueOutside(path)])
  const candidates = await directoriesIn(path)
  const [only] = candidates
  if (only !== undefined && candidates.length === 1) return relative(process.cwd(), join(path, only))
  throw new ConvergeError('INVENTORY.WHICH', {
    summary: 'The inventory is ambiguous.',
    why:
      only === undefined
        ? `Neither \`-i\` nor $CONVERGE_INVENTORY is set, and there is no directory in ${path}.`
        : `Neither \`-i\` nor $CONVERGE_INVENTORY is set, and \`${folder}/\` contains ${candidates.length} inventories: ${candidates.join(', ')}.`,
    next: [
      ...(only === undefined
        ? [converge(['init'], { say: 'Write a first inventory:', fillIn: 'USER@HOST …' }), 'add: -i PATH']
        : candidates.map((name) => `add: -i ${folder}/${name}`)),
      shell(`export CONVERGE_INVENTORY=${only === undefined ? 'PATH' : `${folder}/${only}`}`, { say: 'or:' }),
    ],
  })
}

/** Where a first inventory is found without `-i`, and the inventories that are there. */
export async function placeForNew({
  cwd,
  env,
}: Surroundings): Promise<{ readonly path: string; readonly others: readonly string[] }> {
  const named = env['CONVERGE_INVENTORY']
  if (named !== undefined && named !== '') return { path: named, others: [] }
  const others = await directoriesIn(join(cwd, folder))
  return { path: `${folder}/home`, others: others.map((name) => `${folder}/${name}`) }
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
    throw new ConvergeError('INVENTORY.WHICH', {
      summary: 'The inventory is ambiguous.',
      why: `Neither \`-i\` nor $CONVERGE_INVENTORY is set, and ${path} cannot be read: ${reasonOf(error)}.`,
      next: ['add: -i PATH', shell(`ls -la ${shellQuote([path])}`)],
    })
  }
}
