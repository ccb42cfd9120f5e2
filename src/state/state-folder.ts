import { lstat, mkdir, readdir } from 'node:fs/promises'
import { platform } from 'node:os'
import { isAbsolute, join } from 'node:path'
import envPaths from 'env-paths'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { shell } from '../lib/next-command.ts'

/**
 * The folder on the controller for the state between runs: journals, locks, applied plans.
 * `$CONVERGE_STATE_DIR`, or the system's default (`~/.local/state/converge`; on a Mac below Application Support).
 * Read-only verbs neither create nor need it.
 */
export function stateFolder({ env, cwd }: Pick<Context, 'env' | 'cwd'>): string {
  const given = env['CONVERGE_STATE_DIR']
  if (given !== undefined && given !== '') return isAbsolute(given) ? given : join(cwd, given)
  const paths = envPaths('converge', { suffix: '' })
  // The "log" folder of env-paths is the state folder of the XDG specification.
  return platform() === 'darwin' ? paths.data : paths.log
}

/**
 * A folder below it, created if missing, accessible only to the user.
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
 * Names of files in a folder below it, in reverse alphabetical order: newest runs first. Empty if the folder does not exist.
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

/** Rejects folders that another user controls, because their content cannot be trusted. */
async function mustBeOurs(path: string): Promise<void> {
  const { uid, mode } = await lstat(path)
  if (uid !== process.getuid?.()) throw new Error(`${path} belongs to another user`)
  if ((mode & 0o022) !== 0) throw new Error(`${path} is writable by other users`)
}

/** The error that stops a run before it begins. */
export function unusable(path: string, error: unknown): ConvergeError {
  if (error instanceof ConvergeError) return error
  // A bug is not the folder's fault.
  if (error instanceof TypeError) throw error
  const why = error instanceof Error ? (error.message.split(', ')[0] ?? '') : String(error)
  return new ConvergeError('STATE.UNUSABLE', {
    summary: 'The journal could not be written on this machine. Nothing was done.',
    why: `${path}: ${why}.`,
    next: [
      'Free disk space, or correct its owner and permissions.',
      shell('export CONVERGE_STATE_DIR=/path/to/a/folder', { say: 'Or use another folder:' }),
    ],
  })
}
