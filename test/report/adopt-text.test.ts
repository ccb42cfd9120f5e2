import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { marks, wrapProse } from '../../src/context/wrap-prose.ts'
import type { AdoptDocument } from '../../src/model/adopt-document.ts'
import { renderAdoption } from '../../src/report/adopt-text.ts'
import { noPaint, type Paint } from '../../src/report/paint.ts'

const full: AdoptDocument = JSON.parse(readFileSync(new URL('../fixtures/schemas/adopt-full.json', import.meta.url), 'utf8'))

/** Of a terminal without colours. */
const terminal: Paint = Object.assign((_style: unknown, text: string) => text, {
  given: {},
  whole: (text: string) => `${marks.whole}${text}${marks.wholeEnds}`,
  hang: marks.hang,
})

describe('the text of adopt', () => {
  test.each([
    ['in a file', 'adopt-full.txt', renderAdoption(full, { paint: noPaint, verbose: false })],
    ['with -v', 'adopt-full.verbose.txt', renderAdoption(full, { paint: noPaint, verbose: true })],
    ['in 80 columns', 'adopt-full.80.txt', wrapProse(renderAdoption(full, { paint: terminal, verbose: false }), 80)],
    [
      'once it is written',
      'adopt-full.written.txt',
      renderAdoption({ ...full, written: true }, { paint: noPaint, verbose: false }),
    ],
  ])('is what people read %s', async (_, file, text) => {
    await expect(text).toMatchFileSnapshot(`../fixtures/report/${file}`)
  })

  test('says of a host that nothing is to be adopted', () => {
    const quiet = { ...full, hosts: full.hosts.filter(({ host }) => host === 'studio'), files: [] }
    expect(renderAdoption(quiet, { paint: noPaint, verbose: false })).toBe(
      'studio\n  Nothing runs here that the inventory does not have.\n',
    )
  })
})
