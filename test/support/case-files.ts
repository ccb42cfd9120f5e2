import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of `test/fixtures/<area>`: its path below that folder, and its text. */
export interface CaseFile {
  readonly file: string
  readonly text: string
}

/** The case files of an area, sorted by path. */
export function caseFiles(area: string, pattern: string): readonly CaseFile[] {
  const folder = join(import.meta.dirname, '../fixtures', area)
  const files = globSync(pattern, { cwd: folder }).toSorted()
  return files.map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }))
}
