import { describe, expect, test } from 'vitest'
import { readProjectFile, readSources } from './source-file.ts'

describe('the walks of the map', () => {
  const [, after = ''] = readProjectFile('src/README.md').split('## Three walks\n')
  const [text = ''] = after.split('\n## ')
  const walks = text
    .split('\n\n')
    .map((walk) => [...walk.matchAll(/`([\w/-]+\.ts)`/g)].map(([, path]) => `src/${path}`))
    .filter((files) => files.length > 0)

  test('are three, and no longer than a reader walks', () => {
    const longest = [15, 20, 15]
    expect(walks).toHaveLength(longest.length)
    expect(walks.filter((files, index) => files.length > (longest[index] ?? 0))).toEqual([])
  })

  test('lead through existing files', () => {
    const there = new Set(readSources('src/**/*.ts').map(({ path }) => path))
    expect(walks.flat().filter((path) => !there.has(path))).toEqual([])
  })
})
