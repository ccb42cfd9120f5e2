import { lstat, mkdir, readdir } from 'node:fs/promises'
import { platform } from 'node:os'
import { isAbsolute, join } from 'node:path'
import envPaths from 'env-paths'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { shell } from '../lib/next-command.ts'

/**
 * The folder on the controller in which runs leave what the next ones have to know: journals, locks, which saved plans were applied.
 * `$CONVERGE_STATE_DIR`, else where the system keeps such things (`~/.local/state/converge`; on a Mac below Application Support).
 * Verbs that only look neither make it nor need it.
 */
export function stateFolder({ env, cwd }: Pick<Context, 'env' | 'cwd'>): string {
  const given = env['CONVERGE_STATE_DIR']
  if (given !== undefined && given !== '') return isAbsolute(given) ? given : join(cwd, given)
  const paths = envPaths('converge', { suffix: '' })
  // What env-paths calls a log is state by the words of the XDG specification.
  return platform() === 'darwin' ? paths.data : paths.log
}

/**
 * A folder below it, made when it is not there, for nobody but the user.
 *
 * @throws ConvergeError `STATE.UNUSABLE`
 */
export async function openStateFolder(context: Pick<Context, 'env' | 'cwd'>, name: string): Promise<string> {
  const root = stateFolder(context)
  const folder = join(root, name)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const path of [root, folder]) await mustBeOurs(path)
    return folder
  } catch (error) {
    throw unusable(folder, error)
  }
}

/**
 * Names of files in a folder below it, the last in the order of the alphabet first: of runs, the newest. None where there is no such folder.
 *
 * @throws ConvergeError `STATE.UNUSABLE`
 */
export async function newestNames(
  context: Pick<Context, 'env' | 'cwd'>,
  name: string,
  ending: string,
): Promise<readonly string[]> {
  const folder = join(stateFolder(context), name)
  try {
    const names = await readdir(folder)
    return names
      .filter((one) => one.endsWith(ending))
      .toSorted()
      .toReversed()
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return []
    throw unusable(folder, error)
  }
}

/** In a folder of somebody else, or behind a link, what is read back would be his word. */
async function mustBeOurs(path: string): Promise<void> {
  const { uid, mode } = await lstat(path)
  if (uid !== process.getuid?.()) throw new Error(`${path} belongs to another user`)
  if ((mode & 0o022) !== 0) throw new Error(`${path} may be written by others than its owner`)
}

/** What cannot be written there keeps a run from beginning. */
export function unusable(path: string, error: unknown): ConvergeError {
  if (error instanceof ConvergeError) return error
  // A mistake of the program is no fault of a folder.
  if (error instanceof TypeError) throw error
  const why = error instanceof Error ? (error.message.split(', ')[0] ?? '') : String(error)
  return new ConvergeError('STATE.UNUSABLE', {
    summary: 'The journal could not be written on this machine. Nothing was done.',
    why: `${path}: ${why}.`,
    next: [
      'Make room, or correct its owner and rights.',
      shell('export CONVERGE_STATE_DIR=/path/to/a/folder', { say: 'Or name another folder:' }),
    ],
  })
}
