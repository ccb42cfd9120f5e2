import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

test('every test that the guarantees name exists', () => {
  const text = readFileSync(join(root, 'docs/guarantees.md'), 'utf8')
  const named = [...text.matchAll(/`(test\/[^`\s]+)`/g)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([])
})
