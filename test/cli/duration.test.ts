import { describe, expect, test } from 'vitest'
import { duration } from '../../src/cli/duration.ts'

describe('how long', () => {
  test.each([
    ['90s', 90_000],
    ['5m', 300_000],
    ['5 min', 300_000],
    ['5 minutes', 300_000],
    ['1h30m', 5_400_000],
    ['1h 30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['7d', 604_800_000],
    [' 2m ', 120_000],
    ['0s', 0],
  ])('%s', (text, milliseconds) => {
    expect(duration(text)).toBe(milliseconds)
  })

  test.each([
    '5',
    '',
    ' ',
    'soon',
    '-5m',
    '5m soon',
    'soon 5m',
    '1,5h',
    '5m5',
    '1e3s',
    '5x',
    '1h-30m',
    '.5h',
    `${'9'.repeat(200)}s`,
  ])('not "%s": a limit that is half understood is another limit', (text) => {
    expect(() => duration(text)).toThrow('a number with its unit')
  })

  test.each(['8d', '6d25h', '1y'])('not %s: no timer waits as long', (text) => {
    expect(() => duration(text)).toThrow('a week at most')
  })
})
