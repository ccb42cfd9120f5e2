import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type RevisionToWrite, writeRevision } from '../../src/inventory/write-revision.ts'
import { caseFiles } from '../support/case-files.ts'

const commit = '1234567890123456789012345678901234567890'

/** `test/fixtures/inventory/revisions/<case>.yaml` becomes `<case>.pinned`, wherever a key is `revision`, else `repo`, in a source. */
describe.each(caseFiles('inventory/revisions', '*.yaml'))('a commit written into $file', ({ file, text }) => {
  test('changes nothing else', async () => {
    const golden = join(import.meta.dirname, '../fixtures/inventory/revisions', file.replace('.yaml', '.pinned'))
    await expect(writeAll(text)).toMatchFileSnapshot(golden)
  })
  test('with the line ends that it has', () => {
    const lines = text.replaceAll('\n', '\r\n')
    const written = writeAll(lines)
    expect(written).toBe(writeAll(text).replaceAll('\n', '\r\n'))
  })
  test('a second time, nothing', () => {
    const once = writeAll(text)
    expect(writeAll(once)).toBe(once)
  })
})

test.each([
  ['at an invalid place', 'a: { repo: org/coder }\n', 2],
  ['in a block of text', 'a:\n  revision: >-\n    main\n  repo: org/coder\n', undefined],
  ['behind a key with an anchor', 'a: { &k repo: org/coder }\n', 6],
])('a commit is not written %s', (_, text, column) => {
  const line = column === undefined ? 2 : 1
  expect(writeRevision(text, { line, column: column ?? 3, commit })).toBeUndefined()
})

test('however many aliases are in the file', () => {
  const hosts = Array.from({ length: 300 }, (_, index) => `h${index}: *d\n`).join('')
  const text = `d: &d { source: { repo: org/coder } }\n${hosts}`
  expect(writeRevision(text, { line: 1, column: 19, commit })).toContain(`revision: "${commit}"`)
})

test('JSON stays JSON', () => {
  for (const revision of ['', ', "revision": "main"']) {
    const text = `{ "source": { "repo": "org/coder"${revision} } }\n`
    const column = text.indexOf(revision === '' ? '"repo"' : '"revision"') + 1
    const letters = 'a'.repeat(40)
    const written = JSON.parse(writeRevision(text, { line: 1, column, commit: letters }) ?? '')
    expect(written).toEqual({ source: { repo: 'org/coder', revision: letters } })
  }
})

/** From the bottom up, so that places above stay where they are. */
function writeAll(text: string): string {
  return placesIn(text)
    .toSorted((a, b) => b.line - a.line || b.column - a.column)
    .reduce((so, place) => writeRevision(so, place) ?? 'not written', text)
}

/** A source is where `repo:` stands; with a `revision` of its own, that is the key that is meant. */
function placesIn(text: string): readonly RevisionToWrite[] {
  const outside = text.replaceAll(/\|\r?\n\s+repo: .*/g, (block) => ' '.repeat(block.length))
  const keys = [...outside.matchAll(/(repo|revision):/g)].map((match) => ({ key: match[1], at: match.index }))
  const meant = keys.filter(({ key }, index) => {
    const beside = [keys[index - 1], keys[index + 1]].some(
      (one) => one?.key === 'revision' && Math.abs(one.at - (keys[index]?.at ?? 0)) < 40,
    )
    return key === 'revision' || !beside
  })
  return meant.map(({ at }) => {
    const before = text.slice(0, at)
    return { line: before.split('\n').length, column: at - before.lastIndexOf('\n'), commit }
  })
}
