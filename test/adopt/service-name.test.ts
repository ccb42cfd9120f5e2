import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import schema from '../../schemas/inventory.schema.json' with { type: 'json' }
import { serviceName } from '../../src/adopt/service-name.ts'
import { anyCharacter } from '../support/any-character.ts'

interface NameCase {
  readonly about: string
  readonly alias?: string
  readonly model?: string
  readonly taken?: readonly string[]
  readonly name: string
}

const cases: readonly NameCase[] = parse(readFileSync(new URL('../fixtures/adopt/service-names.yaml', import.meta.url), 'utf8'))

test.each(cases)('a service is named after $about', ({ alias, model, taken = [], name }) => {
  expect(serviceName(alias, model, new Set(taken))).toBe(name)
})

test('every name is valid, and not taken', () => {
  const valid = new RegExp(schema.$defs.service_name.pattern)
  const text = fc.option(fc.string({ unit: anyCharacter, maxLength: 90 }), { nil: undefined })
  fc.assert(
    fc.property(text, text, (alias, model) => {
      const first = serviceName(alias, model, new Set())
      const second = serviceName(alias, model, new Set([first]))
      expect([first, second]).toEqual([expect.stringMatching(valid), expect.stringMatching(valid)])
      expect(second).not.toBe(first)
      expect(second.length).toBeLessThan(70)
      expect(first).not.toContain('--')
    }),
  )
})
