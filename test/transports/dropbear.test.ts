import { expect, test } from 'vitest'
import { mixesUpSessions } from '../../src/transports/dropbear.ts'

test.each([
  ['dropbear_2022.82', true],
  ['dropbear_2022.83', true],
  ['dropbear_2024.84', true],
  ['dropbear_2024.85', true],
  // A build that says no version may be any.
  ['dropbear', true],
  ['dropbear-nas', true],
  ['dropbear_0.52', false],
  ['dropbear_2020.81', false],
  ['dropbear_2024.86', false],
  ['dropbear_2025.88', false],
  ['OpenSSH_9.2p1', false],
  ['not-dropbear_2022.83', false],
  [undefined, false],
])('%s: %s', (software, expected) => {
  expect(mixesUpSessions(software)).toBe(expected)
})
