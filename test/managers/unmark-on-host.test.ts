import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { unmark } from '../../src/managers/unmark.ts'
import { thorough } from '../support/series.ts'

const folder = mkdtempSync(join(tmpdir(), 'unmark-'))
afterAll(() => rmSync(folder, { recursive: true }))

const header = ['# converge: managed com.home.coder', '# Written from the inventory.', '# Edits are overwritten.']
const other = ['# converge: managed com.home.embed', ...header.slice(1)]
const indented = (lines: readonly string[]) => lines.map((line) => `    ${line}`)

const cases: readonly (readonly [about: string, before: readonly string[], after: readonly string[]])[] = [
  ['at the top', [...header, '[Service]', 'ExecStart=/bin/a'], ['[Service]', 'ExecStart=/bin/a']],
  ['after another line', ['<?xml?>', ...header, '<plist>'], ['<?xml?>', '<plist>']],
  [
    'indented, below that of another service',
    ['  embed:', ...indented(other), '    image: a', '  coder:', ...indented(header), '    image: b'],
    ['  embed:', ...indented(other), '    image: a', '  coder:', '    image: b'],
  ],
  ['with a line that a person changed', [header[0] ?? '', '# mine', header[2] ?? ''], ['# mine', header[2] ?? '']],
  ['with Windows line ends', [...header, 'a'].map((line) => `${line}\r`), ['a\r']],
  ['with lines of it again below', [...header, 'a', ...header], ['a', ...header]],
  ['without it', ['a', header[1] ?? ''], ['a', header[1] ?? '']],
]

const shells = thorough(['/bin/sh', '/bin/bash', 'busybox sh'])
const all = shells.flatMap((shell) => cases.map(([about, before, after]) => ({ shell, about, before, after })))

it.each(all)('a definition loses its header and nothing else: $about, in $shell', ({ shell, before, after }) => {
  const file = join(folder, 'definition')
  writeFileSync(file, before.map((line) => `${line}\n`).join(''), { mode: 0o640 })
  const [step] = unmark(file, 'digest', header)
  if (step?.do !== 'run') throw new Error('it is no script')
  const [program = '', ...words] = shell.split(' ')
  execFileSync(program, [...words, '-c', step.script, 'sh', ...step.args], { env: { PATH: process.env['PATH'] } })
  expect(readFileSync(file, 'utf8')).toBe(after.map((line) => `${line}\n`).join(''))
  expect(statSync(file).mode & 0o777).toBe(0o640)
})
