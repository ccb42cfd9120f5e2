import { at, type SourceFile } from './source-file.ts'

/** Where the code asks for a name, and not for what it wants to know: a new kind or manager would have no say in it. */
export function namesCompared(files: readonly SourceFile[], names: readonly string[], subjects: string): readonly string[] {
  const name = `['"](?:${names.join('|')})['"]`
  const pattern = new RegExp(
    `[!=]==\\s*${name}|${name}\\s*[!=]==|\\bcase ${name}|\\b(?:kind|manager|role): ${name}|\\b(?:${subjects})\\.(?:${names.join('|')})\\b|[" ]=\\s(?:${names.join('|')}) \\]`,
    'g',
  )
  return files.flatMap((file) =>
    [...file.withoutComments.matchAll(pattern)].map((match) => `${at(file, match.index)}: ${match[0]}`),
  )
}
