import { expect, it } from 'vitest'
import { commandFor } from '../../../src/run/watch/live-command.ts'

const now = () => new Date('2026-11-26T21:14:48.123Z')
const given = { inventory: 'fleet', limit: 'macs', services: ['coder'] }
const coder = { service: 'coder', host: 'mini' }

it.each([
  ['logs', coder, ['logs', '-i', 'fleet', 'coder@mini', '--follow']],
  ['restart', coder, ['restart', '-i', 'fleet', 'coder@mini']],
  ['report', coder, ['status', '-i', 'fleet', '--limit', 'macs', '-s', 'coder', '--format', 'html=status-20261126T211448.html']],
  ['logs', undefined, undefined],
  ['restart', undefined, undefined],
] as const)('the command for %s of %o', (verb, selected, words) => {
  expect(commandFor({ context: { given, now }, open: {} }, verb, selected)).toEqual(words)
})

it('trusts an inventory no more than the table does', () => {
  const words = ['restart', 'coder@mini', '--no-secret-commands']
  expect(commandFor({ context: { given: {}, now }, open: { isClosed: true } }, 'restart', coder)).toEqual(words)
})
