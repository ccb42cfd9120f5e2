import { describe, expect, test } from 'vitest'
import { until } from '../../src/cli/until.ts'

const now = new Date(2026, 10, 26, 20, 30)

describe('how long a state lasts', () => {
  test.each([
    ['07:00', new Date(2026, 10, 27, 7, 0)],
    ['20:30', new Date(2026, 10, 27, 20, 30)],
    ['20:31', new Date(2026, 10, 26, 20, 31)],
    ['0:05', new Date(2026, 10, 27, 0, 5)],
    ['90m', new Date(2026, 10, 26, 22, 0)],
    ['2026-11-27T07:00', new Date(2026, 10, 27, 7, 0)],
    ['2026-11-27 07:00', new Date(2026, 10, 27, 7, 0)],
    ['2026-11-27T07:00Z', new Date('2026-11-27T07:00:00Z')],
  ])('%s', (text, end) => {
    expect(until(text).at(now)).toBe(end.toISOString())
  })

  test.each(['next-apply', 'revert'])('%s', (text) => {
    expect(until(text).at(now)).toBe(text)
  })

  test.each(['', 'soon', '25:00', '7', '2026-13-27T07:00', '-5m', 'tomorrow'])('is not %j', (text) => {
    expect(() => until(text)).toThrow('It has to be a time')
  })

  test.each(['2026-11-26T20:30', '2026-11-26T20:00', '0s'])('is not %s, which has passed', (text) => {
    expect(() => until(text).at(now)).toThrow('has passed')
  })

  test.each(['2028-01-01T00:00', '400d'])('is not %s, which is more than a year ahead', (text) => {
    expect(() => until(text).at(now)).toThrow('more than a year ahead')
  })
})
