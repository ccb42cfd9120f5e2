import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { editOf } from '../../src/managers/compose/definition.ts'
import { editWithoutBlock, type Splice } from '../../src/managers/compose/shared-file.ts'
import type { RenderInput } from '../../src/managers/manager.ts'
import { type GivenFile, givenFiles, textOf } from '../support/compose-files.ts'
import { casesOf } from '../support/series.ts'
import { inputOf } from './given-input.ts'

const runs = { numRuns: casesOf({ short: 200, long: 10_000 }) }
const service = { name: 'coder', file: '/srv/ai/compose.yaml', fileService: 'llama' }

/** As the probe shows a file. */
function inFile(text: string): RenderInput {
  const seen = (text.endsWith('\n') ? text : `${text}\n`).replaceAll(/secret-\d/g, '***')
  return { ...inputOf(service, null), around: { text: seen, mode: 0o640, owner: 'anna' } }
}

/** What the host makes of its file; the script itself is tried in `shared-file.test.ts`. */
function onHost(text: string, { head, tail, text: lines }: Splice): string {
  const all = text.split(/(?<=\n)/)
  const before = all.slice(0, head).join('')
  const gap = lines !== '' && before !== '' && !before.endsWith('\n') ? '\n' : ''
  return before + gap + lines + all.slice(tail - 1).join('')
}

/** The file around the lines of the service; where they are put if there were none is left to the code. */
function expectedOf(
  { head, block, tail, lineEnd, ends, others }: GivenFile,
  text: string,
  { written, part }: { readonly written: string; readonly part: string },
): string {
  const lines = part.replaceAll('\n', lineEnd)
  if (block === '') return others > 0 && ends && written.replace(lines, '') !== text ? `${text} with ${lines}` : written
  const whole = (head + part + tail).replaceAll('\n', lineEnd)
  return ends || tail === '' ? whole : whole.replace(/\r?\n$/, '')
}

test('only the lines of the service change, whatever is around them', () => {
  fc.assert(
    fc.property(givenFiles, (given) => {
      const text = textOf(given)
      const { splice, fault, part } = editOf(inFile(text))
      if (splice === undefined) throw new Error(fault)
      const written = onHost(text, splice)
      expect(written).toBe(expectedOf(given, text, { written, part }))
      // A second time, nothing changes.
      const again = editOf(inFile(written))
      expect(again.part).toBe(part)
      expect(again.splice === undefined ? '' : onHost(written, again.splice)).toBe(written)
    }),
    runs,
  )
})

test('a service that was added and is removed leaves the file as it was', () => {
  fc.assert(
    fc.property(givenFiles, (given) => {
      fc.pre(given.block === '' && given.ends && given.others > 0)
      const text = textOf(given)
      const added = editOf(inFile(text)).splice
      const written = added === undefined ? '' : onHost(text, added)
      const removed = editWithoutBlock(inFile(written))
      if (removed === undefined || 'why' in removed) throw new Error('it was not added')
      expect(onHost(written, removed)).toBe(text)
    }),
    runs,
  )
})
