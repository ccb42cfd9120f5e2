import { assert, constantFrom, oneof, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { globMatches, globOf } from '../../src/lib/glob.ts'

it.each([
  ['coder-*', 'coder-large', true],
  ['*.--ctx-size', 'definition.command.--ctx-size', true],
  ['coder-?', 'coder-', false],
  ['[a-c]oder', 'coder', true],
  ['[!a-c]oder', 'coder', false],
  ['[z-a]oder', 'coder', false],
  ['[!z-a]oder', 'coder', true],
  ['(host)', '(host)', true],
  ['a.b', 'axb', false],
  ['[', '[', true],
  ['[{p----]', '-', true],
  [`${'*'.repeat(60)}z`, 'a'.repeat(400), false],
  [`${'*a'.repeat(60)}*b`, 'a'.repeat(400), false],
])('%s and %s: %s', (glob, text, matches) => expect(globMatches(glob, text)).toBe(matches))

it('no text breaks a glob', () => {
  const signs = string({ unit: constantFrom('[', ']', '!', '-', '\\', '^', 'a', 'z', '*', '?') })
  assert(property(oneof(string(), signs), string(), (glob, text) => typeof globMatches(glob, text) === 'boolean'))
})

it('a glob of one text matches that and no other', () => {
  assert(property(string(), string(), (one, other) => globMatches(globOf(one), other) === (one === other)))
  assert(property(string(), (one) => globMatches(globOf(one), one)))
})
