import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { optionHint } from '../../src/cli/hints/option-hint.ts'
import { otherOptions } from '../../src/cli/hints/other-options.ts'
import { otherWords } from '../../src/cli/hints/other-words.ts'
import { wordHint } from '../../src/cli/hints/word-hint.ts'
import { createProgram } from '../../src/cli/program.ts'
import { topics } from '../../src/cli/topics/index.ts'
import { verbs } from '../../src/cli/verbs/index.ts'

interface Cases {
  readonly commands: Readonly<Record<string, string | null>>
  readonly options: readonly { readonly command: string; readonly option: string; readonly hint: string | null }[]
}

const { commands, options }: Cases = parse(readFileSync('test/fixtures/cli/hints.yaml', 'utf8'))
const names = Object.keys(verbs)
const program = await createProgram(names, () => Promise.resolve())
const optionsOf = (command: string) =>
  program.commands
    .find((one) => one.name() === command)
    ?.options.flatMap(({ long, short }) => [long ?? [], short ?? []].flat()) ?? []

test.each(Object.entries(commands))('converge %s: %s', (word, hint) => {
  const hints = wordHint(word, names)
  expect(hints).toHaveLength(hint === null ? 0 : 1)
  expect(hints.join('')).toContain(hint ?? '')
})

test.each(options)('converge $command $option: $hint', ({ command, option, hint }) => {
  const hints = optionHint(option, optionsOf(command))
  expect(hints).toHaveLength(hint === null ? 0 : 1)
  expect(hints.join('')).toContain(hint ?? '')
})

describe('the tables of other words', () => {
  const words = otherWords.flatMap((entry) => entry.words.split(' '))
  const foreign = otherOptions.flatMap((entry) => entry.words.split(' '))

  test('have each word once, and none that is a command', () => {
    expect(words.toSorted()).toEqual([...new Set(words)].toSorted())
    expect(foreign.toSorted()).toEqual([...new Set(foreign)].toSorted())
    expect(words.filter((word) => names.includes(word))).toEqual([])
  })

  test('name commands, topics and options that exist', () => {
    const hints = [...otherWords, ...otherOptions].map(({ hint = '' }) => hint)
    const called = [...hints.join('\n').matchAll(/`converge ((?:help )?\S+?)[` ]/g)].map(([, name = '']) => name)
    const callable = [...names, '--version', ...Object.keys(topics).map((topic) => `help ${topic}`)]
    expect(called.filter((name) => !callable.includes(name))).toEqual([])
    const known = names.flatMap(optionsOf)
    expect(otherOptions.flatMap(({ option }) => option ?? []).filter((option) => !known.includes(option))).toEqual([])
    expect(foreign.filter((option) => option === '--help' || option === '-h')).toEqual([])
  })
})
