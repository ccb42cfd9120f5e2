import { lstatSync, realpathSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'

/** Where an inventory really lies. */
export interface RealFolder {
  /** Without links. */
  readonly path: string
  /** Nothing that lies elsewhere is opened. */
  readonly isClosed: boolean
  /** The path that somebody typed: it is what was meant, wherever it leads. */
  readonly named: string
}

export async function realFolder(folder: string, way: Omit<RealFolder, 'path'>): Promise<RealFolder> {
  return { ...way, path: await realpath(folder) }
}

/** Whether a link leads from the path out of the folder. One that leads nowhere could lead anywhere tomorrow: it counts where all is closed. */
export async function leadsOut(from: RealFolder, path: string): Promise<boolean> {
  if (path === from.named) return false
  try {
    return !isWithin(from.path, await realpath(path))
  } catch {
    return from.isClosed
  }
}

/**
 * Whether a path that somebody typed leads elsewhere than it says, by a link that came with the files: out of the folder in which converge
 * is called where it is written as lying there, else out of the folder that it names.
 */
export function leadsAstray(path: string): boolean {
  const [cwd, full] = [process.cwd(), resolve(path)]
  const here = realpathSync(cwd)
  try {
    const around = isWithin(cwd, full) || isWithin(here, full) ? here : realpathSync(dirname(full))
    return !isWithin(around, realpathSync(full))
  } catch {
    // There is nothing, which is told where it is read.
    return lstatSync(full, { throwIfNoEntry: false })?.isSymbolicLink() === true
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}
