import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import { reasonOf } from './read-source.ts'
import type { SecretContext } from './secret-context.ts'

/** No key is larger. */
const mostBytes = 64 * 1024

/** The text of a file with a secret in it; `~/` is home. Warns when others can read it. */
export async function readSecretFile(path: string, context: SecretContext): Promise<string> {
  const full = expandHome(path, context)
  const { mode, size, isFolder } = await look(path, full)
  if (isFolder) throw unreadable(path, 'it is a folder')
  if (size > mostBytes) throw unreadable(path, `it holds ${size} bytes, far too many for a key`)
  if ((mode & 0o077) !== 0) {
    const octal = (mode & 0o777).toString(8).padStart(4, '0')
    context.warn?.(`The ${describeFile(path)} can be read by other accounts (mode ${octal}): chmod 600 ${shellQuote([full])}`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(full))
  } catch (error) {
    throw unreadable(path, error instanceof TypeError ? 'it is not UTF-8 text' : reasonOf(error))
  }
}

async function look(path: string, full: string): Promise<{ mode: number; size: number; isFolder: boolean }> {
  try {
    const found = await stat(full)
    return { mode: found.mode, size: found.size, isFolder: found.isDirectory() }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw unreadable(path, reasonOf(error))
    throw new ConvergeError('SECRET.MISSING', {
      summary: 'A secret is not where the inventory says.',
      why: `There is no ${describeFile(path)} on this machine (looked at ${full}).`,
      next: [`(umask 077; cat > ${shellQuote([full])})`],
    })
  }
}

function unreadable(path: string, reason: string): ConvergeError {
  return new ConvergeError('SECRET.UNREADABLE', {
    summary: 'A secret cannot be read.',
    why: `The ${describeFile(path)} cannot be used: ${reason}.`,
    next: [`ls -l ${shellQuote([path])}`],
  })
}

/** Absolute; `~/` and `~` are the home of whoever runs converge. */
export function expandHome(path: string, { home, cwd }: Pick<SecretContext, 'home' | 'cwd'>): string {
  if (path === '~') return home
  return path.startsWith('~/') ? resolve(home, path.slice(2)) : resolve(cwd, path)
}

export function describeFile(path: string): string {
  return `file ${path}`
}
