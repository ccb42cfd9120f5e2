import { importsOf } from './imports.ts'
import { at, type SourceFile } from './source-file.ts'

/** Who may import a file, type imports included; everybody else is wrong. */
export type Doors = Readonly<Record<string, readonly string[]>>

/** Files that reach forbidden files through imports of any kind, each with the chain of imports. */
export function wrongReach(
  entries: readonly string[],
  files: readonly SourceFile[],
  isOutOfReach: (path: string) => boolean,
): readonly string[] {
  return entries.flatMap((entry) => {
    if (!files.some((file) => file.path === entry)) return [`${entry}: is not there`]
    return [...chainsFrom(entry, files)].filter(([path]) => isOutOfReach(path)).map(([, chain]) => chain)
  })
}

/** Every file that `entry` leads to, with the way. */
function chainsFrom(entry: string, files: readonly SourceFile[]): ReadonlyMap<string, string> {
  const next = new Map(files.map((file) => [file.path, importsOf(file).flatMap(({ target }) => target ?? [])]))
  const chains = new Map([[entry, entry]])
  for (const [path, chain] of chains)
    for (const target of next.get(path) ?? []) if (!chains.has(target)) chains.set(target, `${chain} → ${target}`)
  return chains
}

/** Imports through a foreign door, and unused doors. */
export function wrongDoors(files: readonly SourceFile[], doors: Doors): readonly string[] {
  const through = files.flatMap(importsOf).filter(({ target }) => target !== undefined && target in doors)
  const strays = through
    .filter(({ from, target = '' }) => doors[target]?.includes(from.path) === false)
    .map(({ from, target, offset }) => `${at(from, offset)}: imports ${target}, which is not for it`)
  const idle = Object.entries(doors).flatMap(([door, may]) =>
    may
      .filter((path) => !through.some(({ from, target }) => from.path === path && target === door))
      .map((path) => `${path}: may import ${door} and does not`),
  )
  return [...strays, ...idle]
}

/** Files that send scripts which may act. */
export function senders(files: readonly SourceFile[]): readonly string[] {
  return files.filter((file) => /\btransport\.exec\(/.test(file.code)).map(({ path }) => path)
}

/** Where the type of what acts is named by those who have no business with it. */
export function actorsOutside(files: readonly SourceFile[], may: (path: string) => boolean): readonly string[] {
  return files
    .filter((file) => !may(file.path))
    .flatMap((file) =>
      [...file.code.matchAll(/\bTransport\b/g)].map((match) => `${at(file, match.index)}: has what acts on a host`),
    )
}
