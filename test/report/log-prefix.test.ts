import { expect, test } from 'vitest'
import { logPrefixes } from '../../src/report/log-prefix.ts'
import { noPaint } from '../../src/report/paint.ts'

const coder = { host: 'nas', service: 'coder' }
const writer = { host: 'mini', service: 'a-writer' }

test('a single log has no prefix', () => expect(logPrefixes([coder], noPaint)(coder)).toBe(''))
test('services of one host have their names', () => {
  const prefix = logPrefixes([coder, { ...writer, host: 'nas' }], noPaint)
  expect([prefix(coder), prefix({ ...writer, host: 'nas' })]).toEqual(['coder    | ', 'a-writer | '])
})
test('services of several hosts have both names, in one width', () => {
  const prefix = logPrefixes([coder, writer], noPaint)
  expect([prefix(coder), prefix(writer)]).toEqual(['coder@nas     | ', 'a-writer@mini | '])
})
