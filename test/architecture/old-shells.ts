import { at, type SourceFile } from './source-file.ts'

const pattern = /\$\([^)]*?\bcase\b[^()]*?\bin\b\s+[^(\s]/g

/** The shell of a Mac, bash 3.2, ends a `$(` at the bracket of a pattern: there it has to be written with both, `(pattern)`. */
export function unbalancedPatterns(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    [...file.text.matchAll(pattern)].map(({ index }) => `${at(file, index)}: a pattern of a case in $( )`),
  )
}
