import { homedir } from 'node:os'
import { runInNewContext } from 'node:vm'
import type { InventoryNames } from '../../inventory/list-names.ts'
import type { Answer } from './answer.ts'
import { answerAt } from './answer-at.ts'
import type { CommandLine } from './command-line.ts'
import { type Place, placeOfCursor, type TypedLine } from './read-line.ts'
import { shells } from './shells/index.ts'

/** What completion gets from its process. */
interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/**
 * What `converge complete SHELL …` prints for the script of that shell. Reads names of the inventory: no secret, no program, no network.
 * Empty for a shell that is unknown, or words that no script sends.
 */
export async function complete(args: readonly string[], commandLine: CommandLine, surroundings: Surroundings): Promise<string> {
  const [name = '', ...given] = args
  const shell = Object.hasOwn(shells, name) ? shells[name] : undefined
  if (shell === undefined) return ''
  const line = shell.read(given)
  return shell.render(await answerTo(line, commandLine, surroundings), given)
}

/** What follows the words of a command line. */
export async function answerTo(line: TypedLine, commandLine: CommandLine, surroundings: Surroundings): Promise<Answer> {
  const place = placeOfCursor(commandLine, line.words)
  if (place === undefined) return { candidates: [] }
  return answerAt(place, line.current, {
    inventory: () => namesFor(place, surroundings).catch(() => noNames),
    runs: () => runsIn(surroundings).catch(() => []),
  })
}

const noNames: InventoryNames = { hosts: [], groups: [], profiles: [] }

async function runsIn({ env, cwd }: Surroundings): Promise<readonly string[]> {
  const { listKept } = await import('../../state/run-history.ts')
  return (await listKept({ env, cwd })).slice(0, 20)
}

/** How long an inventory may be computed with. A small file can take long, if it was written to. */
const longestMs = 1500

/** Throws where there is no inventory. */
async function namesFor(place: Place, { env, cwd }: Surroundings): Promise<InventoryNames> {
  const [{ defaultInventory }, { readInventoryTexts }, { listNames }] = await Promise.all([
    import('../../load/default-inventory.ts'),
    import('../../load/read-names.ts'),
    import('../../inventory/list-names.ts'),
  ])
  const { path, isClosed } = inventoryIn(place)
  const typed = path ?? (await defaultInventory({ cwd, env }, { isClosed }))
  const texts = await readInventoryTexts(expanded(typed, env), { isClosed })
  // The only way to stop a computation without another thread, which would take longer to start than all of this.
  const names: InventoryNames = runInNewContext('compute()', { compute: () => listNames(texts) }, { timeout: longestMs })
  return names
}

/** The inventory that the options name, and whether they say that it is not trusted. */
function inventoryIn({ given }: Place): { readonly path: string | undefined; readonly isClosed: boolean } {
  const options = new Map([...given].map(([{ long }, values]) => [long, values]))
  const isClosed = options.has('--no-secret-commands') || (options.has('--facts') && !options.has('--run-secret-commands'))
  return { path: options.get('--inventory')?.at(-1), isClosed }
}

/** As the shell will expand it: the home, and variables that are exported. */
function expanded(path: string, env: Surroundings['env']): string {
  return path
    .replace(/^~(?=\/|$)/, () => env['HOME'] ?? homedir())
    .replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced, bare) => env[braced ?? bare] ?? '')
}
