import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isSea } from 'node:sea'

/**
 * The words that start this converge again, now or in a month: the single binary itself, or Node and the program.
 *
 * @param nodeOptions options of Node that the other one needs as well
 */
export function ownCommand(nodeOptions: readonly string[] = []): readonly string[] {
  const program = lasting(process.execPath)
  return isSea() ? [program] : [program, ...nodeOptions, resolve(process.argv[1] ?? '')]
}

/** Homebrew deletes `Cellar/node/24.1.0` at the next upgrade, and keeps `opt/node`, which leads to the newest. */
export function lasting(path: string, exists: (path: string) => boolean = existsSync): string {
  const kept = path.replace(/\/Cellar\/([^/]+)\/[^/]+\//, '/opt/$1/')
  return exists(kept) ? kept : path
}
