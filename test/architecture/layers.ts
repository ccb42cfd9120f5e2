import { importsOf } from './imports.ts'
import { at, type SourceFile } from './source-file.ts'

/** Rooms that only compute, in their order: a file imports from its own room and from those before it. */
const pure = words(
  'generated model errors lib servers managers inventory facts schedulers endpoints settings simulate policy schedule plan adopt drift journal notify report',
)

/** Rooms that touch files, hosts, terminals; all of them come after. */
const shell = words('time load hub transports gather logs verify apply fetch progress delivery context state run cli main.ts')

/** The order of all folders of `src/`, which `src/README.md` explains. */
export const rooms: readonly string[] = [...pure, ...shell]

/** Where in the order a file is; -1: in no room we know. */
export function placeOf(path: string): number {
  return rooms.indexOf(folderOf(path))
}

export function isPure(file: SourceFile): boolean {
  const place = placeOf(file.path)
  return place >= 0 && place < pure.length
}

function folderOf(path: string): string {
  return path.split('/')[1] ?? ''
}

/** Imports that point upwards or at nothing, type imports included. */
export function wrongDirections(files: readonly SourceFile[]): readonly string[] {
  const paths = new Set(files.map((file) => file.path))
  const unplaced = files
    .filter((file) => placeOf(file.path) < 0)
    .map((file) => `${file.path}: its folder has no place in the order`)
  const wrong = files.flatMap(importsOf).flatMap(({ from, target, offset }) => {
    if (target === undefined) return []
    if (!paths.has(target) && target.startsWith('src/')) return [`${at(from, offset)}: there is no ${target}`]
    if (placeOf(target) <= placeOf(from.path)) return []
    return [`${at(from, offset)}: imports ${target}, and ${folderOf(from.path)}/ comes before ${folderOf(target)}/`]
  })
  return [...unplaced, ...wrong]
}

/** Imports of what lies beside `src/`, but for those of the files that may. */
export function wrongNeighbours(files: readonly SourceFile[], may: Readonly<Record<string, string>>): readonly string[] {
  return files.flatMap(importsOf).flatMap(({ from, target, offset }) => {
    if (target === undefined || target.startsWith('src/') || target === may[from.path]) return []
    return [`${at(from, offset)}: imports ${target}, which lies outside of src/`]
  })
}

/** Files that import each other in a ring, type imports included; each ring once, from its first file. */
export function importRings(files: readonly SourceFile[]): readonly string[] {
  const next = new Map(files.map((file) => [file.path, importsOf(file).flatMap(({ target }) => target ?? [])]))
  const rings = new Set<string>()
  const done = new Set<string>()
  const walk = (path: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(path)
    if (seen >= 0) rings.add(nameRing(trail.slice(seen)))
    if (seen >= 0 || done.has(path)) return
    for (const target of next.get(path) ?? []) walk(target, [...trail, path])
    done.add(path)
  }
  for (const path of next.keys()) walk(path, [])
  return [...rings]
}

function nameRing(ring: readonly string[]): string {
  const first = ring.indexOf(ring.toSorted()[0] ?? '')
  const turned = [...ring.slice(first), ...ring.slice(0, first)]
  return [...turned, turned[0]].join(' → ')
}

function words(text: string): readonly string[] {
  return text.split(' ')
}
