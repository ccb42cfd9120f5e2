import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { insertEntries } from '../../src/lib/yaml-edit/insert-entries.ts'
import type { ScalarValue } from '../../src/lib/yaml-edit/new-text.ts'
import { removeEntry } from '../../src/lib/yaml-edit/remove-entry.ts'
import { setEntry } from '../../src/lib/yaml-edit/set-entry.ts'
import { caseFiles } from '../support/case-files.ts'

/** One of `entries`, `remove` and `set`; then `becomes` or `fault`. */
interface EditCase {
  readonly case: string
  readonly text: string
  readonly path: readonly string[]
  readonly entries?: Readonly<Record<string, unknown>>
  readonly comment?: Readonly<Record<string, readonly string[]>>
  readonly remove?: true
  readonly set?: ScalarValue
  readonly becomes?: string
  readonly fault?: string
}

describe.each(caseFiles('inventory-edits', '*.yaml'))('$file', ({ text }) => {
  const cases = parse(text) as readonly EditCase[]
  test.each(cases.map((given) => [given.case, given] as const))('%s', (_, given) => {
    expect(edited(given)).toEqual(given.becomes ?? { why: given.fault })
  })
})

function edited({ text, path, entries, comment, remove, set }: EditCase) {
  if (remove !== undefined) return removeEntry(text, path)
  return entries === undefined ? setEntry(text, path, set ?? null) : insertEntries(text, path, entries, comment)
}
