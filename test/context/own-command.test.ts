import { expect, test } from 'vitest'
import { lasting } from '../../src/context/own-command.ts'

const cellar = '/opt/homebrew/Cellar/node@24/24.9.0_1/bin/node'

test('of a program in the Cellar of Homebrew the path is that which stays through upgrades', () => {
  expect(lasting(cellar, (path) => path === '/opt/homebrew/opt/node@24/bin/node')).toBe('/opt/homebrew/opt/node@24/bin/node')
})

test('a path stays as it is where there is no lasting one', () => {
  expect(lasting(cellar, () => false)).toBe(cellar)
  expect(lasting('/usr/local/bin/node', () => true)).toBe('/usr/local/bin/node')
})
