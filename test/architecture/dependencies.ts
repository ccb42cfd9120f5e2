import { isBuiltin } from 'node:module'
import { type Import, importsOf } from './imports.ts'
import { at, type SourceFile } from './source-file.ts'

/** The files that may load each npm package. Its types alone may be named in the whole folder of such a file (`src/cli/`). */
export type Homes = Readonly<Record<string, readonly string[]>>

/** `@scope/name/part` and `name/part` belong to the package `@scope/name` and `name`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function packageImports(files: readonly SourceFile[]): readonly (Import & { readonly name: string })[] {
  return files
    .flatMap(importsOf)
    .filter(({ specifier, target }) => target === undefined && !isBuiltin(specifier))
    .map((one) => ({ ...one, name: packageOf(one.specifier) }))
}

/** Imports of a package outside its homes, homes that do not import it, and undeclared packages. */
export function wrongHomes(files: readonly SourceFile[], homes: Homes, declared: readonly string[]): readonly string[] {
  const imports = packageImports(files)
  const strays = imports
    .filter(
      ({ name, from, kind }) =>
        !(homes[name] ?? []).some((home) => (kind === 'type' ? stageOf(home) === stageOf(from.path) : home === from.path)),
    )
    .map(
      ({ name, from, offset }) => `${at(from, offset)}: imports ${name}, whose place is ${homes[name]?.join(', ') ?? 'nowhere'}`,
    )
  const idle = Object.entries(homes).flatMap(([name, places]) =>
    places
      .filter((home) => !imports.some((one) => one.name === name && one.from.path === home))
      .map((home) => `${home}: is named as a place of ${name}, which it does not import`),
  )
  const undeclared = imports
    .filter(({ name, kind }) => !declared.includes(name) && !(kind === 'type' && declared.includes(`@types/${name}`)))
    .map(({ name, from, offset }) => `${at(from, offset)}: imports ${name}, which package.json does not list`)
  return [...strays, ...idle, ...undeclared]
}

/** `src/cli` of `src/cli/verbs/plan.ts`. */
function stageOf(path: string): string {
  return path.split('/', 2).join('/')
}

/** Packages that come into memory as soon as `entry` does, each with the chain of files that brings it in. */
export function loadedWith(entry: string, files: readonly SourceFile[]): ReadonlyMap<string, string> {
  const byPath = new Map(files.map((file) => [file.path, importsOf(file).filter((one) => one.kind === 'static')]))
  const chains = new Map([[entry, entry]])
  const packages = new Map<string, string>()
  for (const [path, chain] of chains) {
    for (const { target, specifier } of byPath.get(path) ?? []) {
      if (target !== undefined && !chains.has(target)) chains.set(target, `${chain} → ${target}`)
      if (target === undefined && !isBuiltin(specifier) && !packages.has(packageOf(specifier)))
        packages.set(packageOf(specifier), chain)
    }
  }
  return packages
}

/** Heavy packages that `entry` brings in although a run may not need them. */
export function heavyAtOnce(entry: string, files: readonly SourceFile[], heavy: readonly string[]): readonly string[] {
  if (!files.some((file) => file.path === entry)) return [`${entry}: is not there`]
  return [...loadedWith(entry, files)]
    .filter(([name]) => heavy.includes(name))
    .map(([name, chain]) => `${name} is loaded at once: ${chain}`)
}

/** `fs` for `node:fs`: a package of that name could answer. */
export function unprefixedBuiltins(files: readonly SourceFile[]): readonly string[] {
  return files
    .flatMap(importsOf)
    .filter(({ specifier }) => isBuiltin(specifier) && !specifier.startsWith('node:'))
    .map(({ specifier, from, offset }) => `${at(from, offset)}: imports ${specifier} without node:`)
}
