import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
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
const globs = ['{src,schemas,docs}/**/*.{ts,tsx,json,md}', '*.md', '{simulation,scripts,action,.ci,bench}/**', 'test/**/*.ts']
const files = globSync(globs, { cwd: root, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  .filter((path) => !path.includes('generated/'))
const lines = files.flatMap((path) =>
  readFileSync(join(root, path), 'utf8')
    .split('\n')
    .map((line, index) => ({ path, place: `${path}:${index + 1}: ${line.trim()}`, line, split: wordsOf(line) })),
)

/** Splits identifiers in camel and snake case into words. */
function wordsOf(line: string): string {
  return line.replaceAll('_', ' ').replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
}

test.for(words)('nothing is called $word: write $use', ({ word, except = [] }, { expect }) => {
  const pattern = new RegExp(String.raw`(?<![\w-])(?:${word})(?![\w-])`, 'i')
  const found = lines.filter(({ path, line, split }) => !except.includes(path) && (pattern.test(line) || pattern.test(split)))
  expect(found.map(({ place }) => place)).toEqual([])
})
