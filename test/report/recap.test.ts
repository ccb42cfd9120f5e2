import { expect, test } from 'vitest'
import { noPaint } from '../../src/report/paint.ts'
import { type RecapColumn, renderRecap } from '../../src/report/recap.ts'

const columns: readonly RecapColumn[] = [
  { name: 'ok', style: 'green' },
  { name: 'update', style: 'yellow' },
  { name: 'refused', style: 'red' },
  { name: 'warnings', style: 'cyan' },
]

const coloured = Object.assign(([style]: readonly string[], text: string) => `<${style}>${text}`, {
  given: {},
  whole: String,
  hang: '',
})

test('has a line for each host, and a column where any host has a count', () => {
  const lines = [
    { host: 'nas', counts: { ok: 12, update: 1 } },
    { host: 'studio', counts: { warnings: 2 } },
  ]
  expect(renderRecap(lines, columns, noPaint)).toBe(`RECAP
nas    : ok=12  update=1  warnings=0
studio : ok=0   update=0  warnings=2`)
})

test('paints a host as the worst of its counts, and no count of nothing', () => {
  const lines = [
    { host: 'a', counts: { ok: 1, update: 1, refused: 1 } },
    { host: 'b', counts: { update: 1 } },
    { host: 'c', counts: { ok: 1, warnings: 1 } },
  ]
  expect(renderRecap(lines, columns, coloured).split('\n').slice(1)).toEqual([
    '<red>a : <green>ok=1  <yellow>update=1  <red>refused=1  <dim>warnings=0',
    '<yellow>b : <dim>ok=0  <yellow>update=1  <dim>refused=0  <dim>warnings=0',
    '<green>c : <green>ok=1  <dim>update=0  <dim>refused=0  <cyan>warnings=1',
  ])
})

test('only counts the ok hosts of a large fleet', () => {
  const quiet = Array.from({ length: 999 }, (_, index) => ({ host: `host${index}`, counts: { ok: 1 } }))
  expect(renderRecap([...quiet, { host: 'nas', counts: { refused: 1 } }], columns, noPaint)).toBe(`RECAP
nas : refused=1
999 more hosts are ok`)
  expect(renderRecap(quiet, columns, noPaint)).toBe('RECAP\n999 hosts are ok')
})
