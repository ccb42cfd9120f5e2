import { constants } from 'node:fs'
import { access, lstat, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isSea } from 'node:sea'
import { cacheFolder } from '../../context/cache-folder.ts'
import type { Context } from '../../context/context.ts'
import { binaryBytes } from '../../lib/binary-bytes.ts'
import { shell } from '../../lib/next-command.ts'
import { shellQuote } from '../../lib/shell-quote.ts'
import type { Check } from '../../model/doctor-document.ts'
import type { NextStep } from '../../model/next-step.ts'
import { stateFolder } from '../../state/state-folder.ts'
import { note, ok, problem } from './check.ts'

/** Journals and reports may take 64 MiB each. */
const roomy = 256 * 1024 ** 2
const least = 16 * 1024 ** 2

interface Fault {
  readonly found: string
  readonly next: readonly NextStep[]
}

/** Without it nothing is applied: each step is journalled there before it is sent. */
export async function checkState(context: Pick<Context, 'env' | 'cwd'>): Promise<Check> {
  const folder = stateFolder(context)
  const state = await lookAt(folder)
  const other = shell('export CONVERGE_STATE_DIR=/path/to/a/folder', { say: 'Or use another folder:' })
  if ('found' in state) return problem('state', state.found, [...state.next, other])
  const { exists, mode, free } = state
  const room = free === undefined ? 'free space unknown' : `${binaryBytes(free)} free`
  const found = `${folder} (${exists ? `mode ${mode.toString(8).padStart(4, '0')}` : 'made by the first run that writes'}, ${room})`
  if (free === undefined || free >= roomy) return ok('state', found)
  const next = ['Free disk space: a full disk stops a run before its next step.', other]
  return free < least ? problem('state', found, next) : note('state', found, next)
}

/** Without it each run compiles the code again, which costs a tenth of a second. A single binary contains its compiled code. */
export async function checkCache({ env }: Pick<Context, 'env'>, isCompiled = isSea()): Promise<Check> {
  if (isCompiled) return ok('cache', 'not needed: this binary contains its compiled code')
  const folder = cacheFolder(env)
  const cache = await lookAt(folder)
  if (!('found' in cache)) return ok('cache', folder)
  return note('cache', `not used, so that each start takes longer: ${cache.found}`, cache.next)
}

type Folder = { readonly exists: boolean; readonly mode: number; readonly free: number | undefined }

/** A folder that is missing is as good as the place where it would be made. */
async function lookAt(folder: string): Promise<Folder | Fault> {
  try {
    const path = await existing(folder)
    const exists = path === folder
    const found = exists ? await lstat(path) : await stat(path)
    if (!found.isDirectory()) return fault(`${path} is not a folder`, ['ls', '-ld', path])
    if (exists && found.uid !== process.getuid?.()) return fault(`${path} belongs to another user`, ['ls', '-ld', path])
    if (exists && (found.mode & 0o022) !== 0) return fault(`${path} is writable by other users`, ['chmod', 'go-w', path])
    await access(path, constants.W_OK | constants.X_OK)
    return { exists, mode: found.mode & 0o7777, free: await freeIn(path) }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return fault(`${folder} cannot be used (${String(error.code)})`, ['ls', '-ld', folder, dirname(folder)])
  }
}

async function freeIn(path: string): Promise<number | undefined> {
  const { bavail, bsize } = await statfs(path).catch(() => ({ bavail: undefined, bsize: 0 }))
  return bavail === undefined ? undefined : bavail * bsize
}

/** The folder, or the nearest above it that exists. */
async function existing(path: string): Promise<string> {
  try {
    await lstat(path)
    return path
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isMissing || dirname(path) === path) throw error
    return existing(dirname(path))
  }
}

function fault(found: string, command: readonly string[]): Fault {
  return { found, next: [shell(shellQuote(command))] }
}
