import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isVisibleJson, visibleText } from '../../src/lib/visible-text.ts'

test.each([
  ['{ "why": "plain, ünïcode 漢字\\nand a tab\\t, \\"quoted\\" \\/" }', true],
  ['{ "why": "\u001b[2J" }', false],
  [String.raw`{ "why": "\u001b[2J" }`, false],
  [String.raw`{ "why": "\r" }`, false],
  [String.raw`{ "why": "\b" }`, false],
  [String.raw`{ "why": "\f" }`, false],
  ['{ "why": "\u202e" }', false],
])('%s: %s', (json, expected) => {
  expect(isVisibleJson(json)).toBe(expected)
})

test('what is visible has no text that would be changed', () => {
  const signs = fc.string({
    unit: fc.constantFrom('a', '\\', '"', 'u', 'n', '\n', '\t', '\r', '\b', '\u001b', '\u0085', '\u200b', 'é', '𝒳'),
  })
  const isKept = fc.property(signs, (text) => !isVisibleJson(JSON.stringify({ text })) || visibleText(text) === text)
  expect(fc.check(isKept)).toMatchObject({ failed: false })
})
