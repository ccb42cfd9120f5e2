import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readSurvey } from '../../src/adopt/survey.ts'
import { anyCharacter } from '../support/any-character.ts'

interface SurveyCase {
  readonly about: string
  readonly asked: readonly number[]
  readonly text: string
  readonly expected?: unknown
  /** Why the answer is unknown. */
  readonly unknown?: string
}

const cases: readonly SurveyCase[] = parse(readFileSync(new URL('../fixtures/adopt/surveys.yaml', import.meta.url), 'utf8'))
const [whole = { text: '' }] = cases

describe('the answer of a host about its servers', () => {
  test.each(cases)('$about', ({ asked, text, expected, unknown }) => {
    const read = readSurvey(text, asked)
    expect(read.known ? read.value : read.detail).toEqual(expected ?? unknown)
  })

  test('with a huge line is unknown', () => {
    const read = readSurvey(`pid 7\nv\ne LLAMA_ARG_ALIAS=${'x'.repeat(100_000)}\nend\n`, [7])
    expect(read).toMatchObject({ known: false, detail: expect.stringContaining('a line is too long: e LLAMA_ARG_ALIAS=xxx') })
  })

  test('that was cut anywhere is unknown', () => {
    const { text } = whole
    const known = Array.from({ length: text.length - 1 }, (_, at) => at).filter((at) => readSurvey(text.slice(0, at), [7]).known)
    // Only the last line break may be missing.
    expect(known).toEqual([])
  })

  test('of which lines were lost or are foreign is unknown, or says no more than the whole one', () => {
    const lines = whole.text.trimEnd().split('\n')
    const noise = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 20 }), fc.constantFrom(...lines, 'l a', 'd b', '|x', 'end'))
    const edit = fc.record({ at: fc.nat(lines.length), remove: fc.nat(2), add: fc.array(noise, { maxLength: 2 }) })
    fc.assert(
      fc.property(edit, ({ at, remove, add }) => {
        const read = readSurvey(`${lines.toSpliced(at, remove, ...add).join('\n')}\n`, [7])
        const [one] = read.known ? read.value : []
        expect(one?.pid ?? 7).toBe(7)
        expect([undefined, '/system.slice/llama.service']).toContain(one?.cgroup)
      }),
    )
  })
})
