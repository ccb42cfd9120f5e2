import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type RevisionToWrite, writeRevisions } from '../../src/inventory/write-revisions.ts'
import { caseFiles } from '../support/case-files.ts'

const commit = '1234567890123456789012345678901234567890'

/** `test/fixtures/inventory/revisions/<case>.yaml` becomes `<case>.pinned`, wherever a key is `revision`, else `repo`, in a source. */
describe.each(caseFiles('inventory/revisions', '*.yaml'))('a commit written into $file', ({ file, text }) => {
  test('changes nothing else', async () => {
    const golden = join(import.meta.dirname, '../fixtures/inventory/revisions', file.replace('.yaml', '.pinned'))
    await expect(writeRevisions(text, placesIn(text))).toMatchFileSnapshot(golden)
  })
  test('with the line ends that it has', () => {
    const lines = text.replaceAll('\n', '\r\n')
    const written = writeRevisions(lines, placesIn(lines))
    expect(written).toBe(writeRevisions(text, placesIn(text)).replaceAll('\n', '\r\n'))
  })
  test('a second time, nothing', () => {
    const once = writeRevisions(text, placesIn(text))
    expect(writeRevisions(once, placesIn(once))).toBe(once)
  })
})

test('a place that is none is a bug, and nothing is written', () => {
  expect(() => writeRevisions('a: { repo: org/coder }\n', [{ line: 1, column: 2, commit }])).toThrow(
    'there is no model source at 1:2',
  )
})

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
