import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Comparison, type Ratios, worsened } from '../../bench/worsened.ts'

interface Case {
  readonly name: string
  readonly hosts?: number
  readonly converge?: Ratios | 'none'
  readonly bare?: Ratios | 'none'
  readonly others?: Readonly<Record<string, Ratios>>
  readonly says: readonly string[]
}

const cases: readonly Case[] = parse(readFileSync('test/fixtures/bench/worsened.yaml', 'utf8'))
const ours = {
  'converge plan': { wall: 1.1, cpu: 1.5, memory: 2 },
  'bare ssh2': { wall: 0.5, cpu: 0.8, memory: 1 },
}
const accepted: Comparison = { date: '2026-11-01', machine: 'a machine', hosts: 200, rounds: 5, ratios: ours }

test.each(cases)('$name', ({ hosts = 200, converge, bare, others = {}, says }) => {
  const given = Object.entries({
    ...ours,
    'converge plan': converge ?? ours['converge plan'],
    'bare ssh2': bare ?? ours['bare ssh2'],
  })
  const measured = given.filter((row): row is [string, Ratios] => row[1] !== 'none')
  expect(worsened(accepted, { ...accepted, hosts, ratios: { ...Object.fromEntries(measured), ...others } })).toEqual(says)
})

test('ratios that were never accepted are reported', () => {
  expect(worsened({ ...accepted, ratios: {} }, accepted)).toEqual([
    'No ratios of converge plan are accepted.',
    'No ratios of bare ssh2 are accepted.',
  ])
})

test('a run can be compared with the accepted one', () => {
  const file: Comparison = JSON.parse(readFileSync('bench/accepted.json', 'utf8'))
  expect(worsened(file, file)).toEqual([])
})
