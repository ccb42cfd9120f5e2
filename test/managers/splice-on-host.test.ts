import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { editOf } from '../../src/managers/compose/definition.ts'
import { type Splice, spliced } from '../../src/managers/compose/shared-file.ts'
import { givenFiles, textOf } from '../support/compose-files.ts'
import { casesOf, thorough } from '../support/series.ts'
import { inputOf } from './given-input.ts'

const folder = mkdtempSync(join(tmpdir(), 'splice-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The script of a step, with the lines that were sent in the temporary file; what it makes of that. */
function onHost(shell: string, text: string, splice: Splice): string {
  const [file, sent] = [join(folder, 'compose.yaml'), join(folder, '.compose.yaml.converge.x')]
  writeFileSync(file, text)
  writeFileSync(sent, splice.text)
  const { script, args } = spliced(file, splice, { script: '[ "$2" = more ] && cat "$1" >/dev/null', args: ['more'] })
  const [program = '', ...words] = shell.split(' ')
  execFileSync(program, [...words, '-c', script, 'sh', sent, ...args], { env: { PATH: process.env['PATH'] } })
  expect(readFileSync(file, 'utf8')).toBe(text)
  return readFileSync(sent, 'utf8')
}

function spliceOf(text: string): Splice {
  const seen = text.endsWith('\n') ? text : `${text}\n`
  const input = inputOf({ name: 'coder', file: '/srv/ai/compose.yaml', fileService: 'llama' }, null)
  const { splice } = editOf({ ...input, around: { text: seen.replaceAll(/secret-\d/g, '***'), mode: 0o640, owner: 'anna' } })
  if (splice === undefined) throw new Error('it cannot be edited')
  return splice
}

const shells = thorough(['/bin/sh', '/bin/bash', 'busybox sh'])

it.each(shells)('the host puts the lines of the service among its own, in %s', (shell) => {
  fc.assert(
    fc.property(givenFiles, (given) => {
      const text = textOf(given)
      const splice = spliceOf(text)
      const lines = text.split(/(?<=\n)/)
      const [before, after] = [lines.slice(0, splice.head).join(''), lines.slice(splice.tail - 1).join('')]
      const made = onHost(shell, text, splice)
      expect(made.startsWith(before)).toBe(true)
      expect(made.endsWith(splice.text + after)).toBe(true)
      expect(made.length - before.length - splice.text.length - after.length).toBe(before === '' || before.endsWith('\n') ? 0 : 1)
    }),
    { numRuns: casesOf({ short: 60, long: 200 }) },
  )
})

it('does nothing if the file has another number of lines', () => {
  const splice = spliceOf('services:\n  llama:\n    image: x\n')
  expect(() => onHost('/bin/sh', 'services:\n  llama:\n    image: x\n    init: true\n\n', splice)).toThrow('Command failed')
})
