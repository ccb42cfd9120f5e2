import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { parse } from 'yaml'

interface RetiredWord {
  /** A regular expression. */
  readonly word: string
  readonly use: string
  readonly except?: readonly string[]
}

const root = join(import.meta.dirname, '..')
const words: readonly RetiredWord[] = parse(readFileSync(join(root, 'test/fixtures/retired-words.yaml'), 'utf8'))
const files = globSync(['{src,schemas,docs}/**/*.{ts,tsx,json,md}', '*.md'], { cwd: root }).filter(
  (path) => !path.includes('generated/'),
)
const texts = files.map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n') }))

test.for(words)('nothing is called $word: write $use', ({ word, except = [] }, { expect }) => {
  const pattern = new RegExp(String.raw`(?<![\w-])(?:${word})(?![\w-])`, 'i')
  const found = texts
    .filter(({ path }) => !except.includes(path))
    .flatMap(({ path, lines }) =>
      lines.flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    )
  expect(found).toEqual([])
})
