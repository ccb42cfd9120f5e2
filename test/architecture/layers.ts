import { importsOf } from './imports.ts'
import { at, type SourceFile } from './source-file.ts'

/** The folders of `src/` from the bottom up; a file imports from its own layer and below. */
const layers: readonly (readonly string[])[] = [
  ['model', 'lib', 'errors', 'generated'],
  [
    'inventory',
    'facts',
    'servers',
    'managers',
    'schedulers',
    'settings',
    'plan',
    'policy',
    'drift',
    'report',
    'journal',
    'notify',
  ],
  ['time', 'transports', 'apply', 'verify', 'progress', 'delivery', 'hub', 'fetch'],
  ['cli', 'main.ts'],
]

/** They do I/O, and lie where a reader looks for them: what loads, what opens secrets, what gathers, and what these are made of. */
const higherThanTheirFolder = [
  ...['load', 'default-inventory', 'find-files', 'read-source', 'render-issues', 'invalid'].map(
    (name) => `src/inventory/${name}.ts`,
  ),
  ...['read-regular-file', 'read-pipe', 'real-folder', 'end-processes'].map((name) => `src/inventory/${name}.ts`),
  ...['resolve-secret', 'read-secret-file', 'run-secret-command', 'vault-password'].map((name) => `src/inventory/${name}.ts`),
  'src/gather/gather.ts',
]

/** Within the lowest layer the direction is fixed as well. */
const lowest: Readonly<Record<string, readonly string[]>> = {
  model: ['model'],
  errors: ['errors', 'model'],
  lib: ['lib', 'errors', 'model'],
  generated: [],
}

/** 0 to 3; -1: in no folder we know. */
export function layerOf(path: string): number {
  if (higherThanTheirFolder.includes(path)) return 2
  return layers.findIndex((folders) => folders.includes(folderOf(path)))
}

export function isPure(file: SourceFile): boolean {
  return layerOf(file.path) <= 1
}

function folderOf(path: string): string {
  return path.split('/')[1] ?? ''
}

/** Exceptions that no longer exist, or that compute only and could lie a layer lower. */
export function idleExceptions(files: readonly SourceFile[], isImpure: (file: SourceFile) => boolean): readonly string[] {
  return higherThanTheirFolder
    .filter((path) => !files.some((file) => file.path === path && isImpure(file)))
    .map((path) => `${path}: is an exception without need`)
}

/** Imports that point upwards or at nothing, type imports included. */
export function wrongDirections(files: readonly SourceFile[]): readonly string[] {
  const paths = new Set(files.map((file) => file.path))
  const strangers = files.filter((file) => layerOf(file.path) < 0).map((file) => `${file.path}: its folder is in no layer`)
  const wrong = files.flatMap(importsOf).flatMap(({ from, target, offset }) => {
    if (target === undefined) return []
    if (!paths.has(target) && target.startsWith('src/')) return [`${at(from, offset)}: there is no ${target}`]
    if (layerOf(target) > layerOf(from.path)) return [`${at(from, offset)}: imports ${target}, which is a layer above`]
    const allowed = lowest[folderOf(from.path)]
    const inside = allowed === undefined || allowed.includes(folderOf(target))
    return inside ? [] : [`${at(from, offset)}: ${folderOf(from.path)}/ may not import ${target}`]
  })
  return [...strangers, ...wrong]
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
