import { lstatSync, realpathSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'

/** The real path of an inventory. */
export interface RealFolder {
  /** Without links. */
  readonly path: string
  /** Nothing outside is opened. */
  readonly isClosed: boolean
  /** The path that the user typed: it is intended, wherever it leads. */
  readonly named: string
}

export async function realFolder(folder: string, way: Omit<RealFolder, 'path'>): Promise<RealFolder> {
  return { ...way, path: await realpath(folder) }
}

/** Whether a link leads from the path out of the folder. A dangling link may lead anywhere later: it counts if links are closed. */
export async function leadsOut(from: RealFolder, path: string): Promise<boolean> {
  if (path === from.named) return false
  try {
    return !isWithin(from.path, await realpath(path))
  } catch {
    return from.isClosed
  }
}

/**
 * Whether a link in the given files leads a typed path elsewhere: out of the working directory if the path is written as being in it, else out
 * of the folder that it names.
 */
export function leadsAstray(path: string): boolean {
  const [cwd, full] = [process.cwd(), resolve(path)]
  const here = realpathSync(cwd)
  try {
    const around = isWithin(cwd, full) || isWithin(here, full) ? here : realpathSync(dirname(full))
    return !isWithin(around, realpathSync(full))
  } catch {
    // A missing file is reported when it is read.
    return lstatSync(full, { throwIfNoEntry: false })?.isSymbolicLink() === true
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}
