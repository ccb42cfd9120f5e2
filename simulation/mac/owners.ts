import { lstatSync } from 'node:fs'
import type { Answer } from '../tool-socket.ts'

/** Whose the files of a Mac are: to this machine all of them are one account's. */
export interface Owners {
  /** The name of the account. */
  readonly of: (path: string) => string
  /** `chown OWNER[:GROUP] FILE…`, which only root may call. */
  readonly chown: (asRoot: boolean, words: readonly string[]) => Answer
}

/** @param ofSystem the folder whose files are root's unless they were given away; all others are the account's */
export function ownersOf(user: string, ofSystem: string): Owners {
  // By the file itself, which keeps its owner where it is renamed.
  const given = new Map<string, string>()
  return {
    of: (path) => given.get(identity(path)) ?? (path.startsWith(`${ofSystem}/`) ? 'root' : user),
    chown: (asRoot, words) => {
      if (!asRoot) return { code: 1, err: 'chown: Operation not permitted\n' }
      const [owner = '', ...paths] = words.filter((word) => !word.startsWith('-'))
      for (const path of paths) given.set(identity(path), owner.split(':')[0] ?? '')
      return { code: 0 }
    },
  }
}

function identity(path: string): string {
  const { dev, ino, birthtimeMs } = lstatSync(path)
  return `${dev} ${ino} ${birthtimeMs}`
}
