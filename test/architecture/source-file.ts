import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { blankComments, blankStrings } from './blank.ts'

/** A file of the project, as the checks look at it. */
export interface SourceFile {
  /** From the project's folder, with `/`. */
  readonly path: string
  readonly text: string
  /** Same length and lines as `text`: comments are blanks. */
  readonly withoutComments: string
  /** Same length and lines as `text`: comments and what stands inside strings and regular expressions are blanks. */
  readonly code: string
}

export function sourceFile(path: string, text: string): SourceFile {
  const withoutComments = blankComments(text)
  return { path, text, withoutComments, code: blankStrings(withoutComments) }
}

const root = new URL('../../', import.meta.url)

/** Files that match any of the globs, from the project's folder, sorted. */
export function listFiles(...globs: readonly string[]): readonly string[] {
  const paths = globSync([...globs], { cwd: fileURLToPath(root), exclude: ['**/node_modules/**'] })
  return paths.map((path) => path.replaceAll('\\', '/')).toSorted()
}

export function readProjectFile(path: string): string {
  return readFileSync(new URL(path, root), 'utf8')
}

/** Globs overlap, and most of the time goes into finding what is code. */
const known = new Map<string, SourceFile>()

export function readSources(...globs: readonly string[]): readonly SourceFile[] {
  return listFiles(...globs).map((path) => {
    const file = known.get(path) ?? sourceFile(path, readProjectFile(path))
    known.set(path, file)
    return file
  })
}

/** `path:line`, for messages that an editor can follow. */
export function at(file: SourceFile, offset: number): string {
  return `${file.path}:${file.text.slice(0, offset).split('\n').length}`
}
