import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import config, { withProcesses } from '../vitest.config.ts'

const root = join(import.meta.dirname, '..')
const projects = (config.test?.projects ?? []).flatMap((one) => (typeof one === 'object' && 'test' in one ? [one.test] : []))

test('tests that start a process are in a project of their own', () => {
  const elsewhere = new Set(globSync([...withProcesses, 'test/{lab,integration,packaging}/**/*.test.ts'], { cwd: root }))
  const computing = globSync('test/**/*.test.ts', { cwd: root }).filter((file) => !elsewhere.has(file))
  expect(computing.length).toBeGreaterThan(100)
  expect(computing.filter((file) => startsProcesses(file))).toEqual([])
})

test('all projects can run in one call: Vitest wants one number of workers for those it runs at the same time', () => {
  const groups = Map.groupBy(projects, (one) => one?.sequence?.groupOrder)
  const workers = [...groups.values()].map(
    (group) => new Set(group.map((one) => (one?.fileParallelism === false ? 1 : one?.maxWorkers))),
  )
  expect(workers.length).toBeGreaterThan(1)
  expect(workers.filter(({ size }) => size > 1)).toEqual([])
})

test('every file that a project names is there', () => {
  const named = projects
    .flatMap((one) => [...(one?.include ?? []), ...(one?.exclude ?? [])])
    .filter((pattern) => !pattern.includes('*'))
  expect(named.filter((pattern) => globSync(pattern, { cwd: root }).length === 0)).toEqual([])
})

/** Whether it does so itself, or what it uses of `test/`. */
function startsProcesses(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false
  seen.add(file)
  const imported = [...readFileSync(join(root, file), 'utf8').matchAll(/^(?:import|\} from|export) .*'(\S+)'$/gm)].map(
    ([, from = '']) => from,
  )
  if (imported.some((from) => from === 'node:child_process' || from === 'execa')) return true
  const own = imported.filter((from) => from.startsWith('.')).map((from) => join(dirname(file), from))
  return own.some((one) => one.startsWith('test/') && startsProcesses(one, seen))
}
