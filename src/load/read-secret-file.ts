import { resolve } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import type { SecretContext } from '../inventory/secret-context.ts'
import { UnreadableFile } from '../inventory/unreadable-file.ts'
import { shell } from '../lib/next-command.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import { readGivenFile } from './read-regular-file.ts'
import { reasonOf } from './read-source.ts'

/** No key is larger, wherever it comes from. In bytes. */
export const mostKeyBytes = 16 * 1024

/** The text of a file with a secret; `~/` is home. Warns if other users can read it. */
export async function readSecretFile(path: string, context: SecretContext): Promise<string> {
  const full = expandHome(path, context)
  const { mode, bytes } = await look(path, full, context)
  if ((mode & 0o077) !== 0) {
    const octal = (mode & 0o777).toString(8).padStart(4, '0')
    context.warn?.(`The ${describeFile(path)} is readable by other users (mode ${octal}): chmod 600 ${shellQuote([full])}`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw unreadable(path, 'it is not UTF-8 text')
  }
}

async function look(path: string, full: string, { signal }: SecretContext) {
  try {
    return await readGivenFile(full, mostKeyBytes, signal)
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    if (error.code !== 'ENOENT') throw unreadable(path, error.code === undefined ? error.message : reasonOf(error))
    throw new ConvergeError('SECRET.MISSING', {
      summary: 'A secret is missing where the inventory expects it.',
      why: `There is no ${describeFile(path)} on this machine (expected at ${full}).`,
      next: [shell(`(umask 077; cat > ${shellQuote([full])})`)],
    })
  }
}

function unreadable(path: string, reason: string): ConvergeError {
  return new ConvergeError('SECRET.UNREADABLE', {
    summary: 'A secret cannot be read.',
    why: `The ${describeFile(path)} cannot be used: ${reason}.`,
    next: [shell(`ls -l ${shellQuote([path])}`)],
  })
}

/** Absolute; `~/` and `~` are the home of the user who runs converge. */
export function expandHome(path: string, { home, cwd }: Pick<SecretContext, 'home' | 'cwd'>): string {
  if (path === '~') return home
  return path.startsWith('~/') ? resolve(home, path.slice(2)) : resolve(cwd, path)
}

export function describeFile(path: string): string {
  return `file ${path}`
}
