import { posix } from 'node:path'
import { importsOf } from './imports.ts'
import { at, type SourceFile } from './source-file.ts'

function matches(files: readonly SourceFile[], pattern: RegExp, words: string): readonly string[] {
  return files.flatMap((file) => [...file.code.matchAll(pattern)].map((match) => `${at(file, match.index)}: ${words}`))
}

/** A secret is opened where it is sent, hashed or hidden; elsewhere not even the word for it may stand, and nowhere without need. */
export function revealers(files: readonly SourceFile[], allowed: readonly string[]): readonly string[] {
  const found = files.flatMap((file) =>
    [...file.withoutComments.matchAll(/\breveal\b/g)].map((match) => ({ file, offset: match.index })),
  )
  return [
    ...found.filter(({ file }) => !allowed.includes(file.path)).map(({ file, offset }) => `${at(file, offset)}: opens a secret`),
    ...allowed
      .filter((path) => !found.some(({ file }) => file.path === path))
      .map((path) => `${path}: may open secrets and does not`),
  ]
}

export function defaultExports(files: readonly SourceFile[], allowed: readonly string[]): readonly string[] {
  const others = files.filter((file) => !allowed.some((name) => posix.basename(file.path) === name))
  return matches(others, /\bexport\s+default\b|\bas\s+default\b/g, 'has a default export')
}

export function enums(files: readonly SourceFile[]): readonly string[] {
  return matches(files, /\benum\s+[\w$]+\s*\{/g, 'has an enum')
}

export function overlong(files: readonly SourceFile[], most: number): readonly string[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.trimEnd().split('\n').length
    return lines > most ? [`${path}: has ${lines} lines, more than ${most}`] : []
  })
}

/** Names that say nothing of what is inside, and names in another style. */
export function badNames(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const name = posix.basename(path).replace(/(?:\.[a-z]+)+$/, '')
    if (/^(?:utils?|helpers?|common|misc|shared|tools)$|[-.](?:utils?|helpers?)$/i.test(name))
      return [`${path}: the name says nothing`]
    return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) ? [] : [`${path}: is not in kebab case`]
  })
}

/** An `index.ts` holds a registry: imports and constant tables, lazily loaded entries among them; never a façade for others. */
export function falseRegistries(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => posix.basename(file.path) === 'index.ts')
    .flatMap((file) => {
      const reExports = importsOf(file).filter((one) => /^export\b/.test(file.code.slice(one.offset)))
      const local = [...file.code.matchAll(/\bexport\s*\{/g)]
      const logic = [...file.code.matchAll(/\b(?:function|class|return|if|for|while|switch)\b/g)]
      return [
        ...[...reExports.map((one) => one.offset), ...local.map((one) => one.index)].map(
          (offset) => `${at(file, offset)}: re-exports`,
        ),
        ...logic.map((match) => `${at(file, match.index)}: holds logic (${match[0]})`),
        ...(/\bexport\s+const\b/.test(file.code) ? [] : [`${file.path}: is no registry`]),
      ]
    })
}
