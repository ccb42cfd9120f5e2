import { expect, it } from 'vitest'
import { facts } from '../../src/facts/index.ts'
import { known } from '../../src/model/observed.ts'
import { question } from './question-with.ts'

const asked = question({ definitions: ['/d'], models: ['/m'], disks: ['/x'], executables: ['/e'] })
const many = 50_000
const header = 'Filesystem 1024-blocks Used Available Capacity Mounted on'
const stats = `stat 1 1 644 root\ndigest ${'a'.repeat(64)}`

/** What one regular expression may try in as many ways as the square of its length. */
const cases: readonly (readonly [keyof typeof facts, string, string])[] = [
  ['listeners', 'colons', `@ss\nLISTEN 0 0 a:1 ${'a:'.repeat(many)} x\n`],
  ['listeners', 'blanks behind a bracket', `@ss\nLISTEN 0 0 a:1 a:1 users:()${' '.repeat(many)}x\n`],
  ['disks', 'blanks', `path /x\nended 0\n${header}\na${' '.repeat(many)}\n`],
  ['disks', 'numbers', `path /x\nended 0\n${header}\n${'1 '.repeat(many)}\n`],
  ['containers', 'quotes', `engine /d\nversion 1\nl ${'"a" '.repeat(many)}x\n`],
  ['containers', 'backslashes', `engine /d\nversion 1\nl "${'\\'.repeat(many)}\n`],
  ['definitions', 'empty lines', `path /d\nstate there\n${stats}\n${'|\n'.repeat(many)}`],
  ['definitions', 'blanks', `path /d\nstate there\n${stats}\n|${' '.repeat(many)}x\n`],
  ['models', 'links', `path /m\nstate there\ntype file\n${'file 1 1 1 1 1 /m\n'.repeat(many)}${'link 1 /m\n'.repeat(many)}end\n`],
  ['journal', 'runs', `state there\n${Array.from({ length: many }, runOfLog).join('')}`],
  ['executables', 'versions', `path /e\nstate there\nmay yes\nversion ${'version:'.repeat(many)}\n`],
  ['power', 'blanks', `AC Power:\n${' '.repeat(many)}x\n`],
]

function runOfLog(_: unknown, index: number): string {
  const run = `"run_id":"${index}"`
  return `|{"event":"step-intended",${run},"n":1,"service":"a"}\n|{"event":"service-settled",${run},"service":"b"}\n`
}

it.each(cases)('%s with many %s are read, or not, in a moment', (name, _, text) => {
  const started = performance.now()
  facts[name].parse(known({ status: 0, text, stderr: '' }), { question: asked })
  expect(performance.now() - started).toBeLessThan(10_000)
})
