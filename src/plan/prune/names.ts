import { nameOfPath } from '../../lib/posix-path.ts'
import type { NodeId, RecordedJob, References } from '../../model/prune.ts'

/** A fetched model, with the names that may refer to it. */
export interface FetchedModel {
  /** `model.path` */
  readonly path: string
  /** It is a folder of files and is loaded as one. */
  readonly isFolder: boolean
  /** Files that jobs fetched or were to fetch. */
  readonly files: readonly string[]
  /** The names in definitions and processes: file names, or `/NAME` of the folder. */
  readonly names: readonly string[]
}

/** Undefined: there is no record of it. */
export function modelOf({ about, wants, fetched }: RecordedJob): FetchedModel | undefined {
  if (about === null) return undefined
  const path = about.model
  const files = [...new Set([...wants, ...fetched].map((one) => one.path))]
  const isFolder = files.length > 0 && files.every((file) => file.startsWith(`${path}/`))
  const names = isFolder ? [`/${nameOfPath(path)}`] : [...new Set([path, ...files].map(nameOfPath))]
  return { path, isFolder, files, names }
}

/** The inodes of a model, whatever path leads there. */
export interface ModelNodes {
  /** Its files, and its folder if it is one. */
  readonly own: ReadonlySet<NodeId>
  /** Folders above it. */
  readonly above: ReadonlySet<NodeId>
}

export function nodesOf({ path, isFolder }: FetchedModel, { entries }: RecordedJob, { nodes }: References): ModelNodes {
  const seen = (paths: readonly string[]) => paths.flatMap((one) => nodes[one] ?? [])
  const files = entries.map(({ device, inode }) => `${device}:${inode}`)
  return { own: new Set([...files, ...seen(isFolder ? [path] : [])]), above: new Set(seen(foldersAbove(path))) }
}

/** The nearest first, without the root. */
export function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(1, -1)
  return parts.map((_, index) => `/${parts.slice(0, parts.length - index).join('/')}`)
}

/** Whether a text contains one of the names as a whole name. */
export function mentions(text: string, names: readonly string[]): boolean {
  return names.some((name) => {
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      const before = name.startsWith('/') ? '' : text.slice(Math.max(at - 1, 0), at)
      if (!/[A-Za-z0-9._-]/.test(before) && !/^[A-Za-z0-9_-]/.test(text.slice(at + name.length))) return true
    }
    return false
  })
}
