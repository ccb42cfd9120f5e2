import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { withProcesses } from '../vitest.config.ts'

const root = join(import.meta.dirname, '..')

test('tests that start a process are in a project of their own', () => {
  const elsewhere = new Set(globSync([...withProcesses, 'test/{lab,integration,packaging}/**/*.test.ts'], { cwd: root }))
  const computing = globSync('test/**/*.test.ts', { cwd: root }).filter((file) => !elsewhere.has(file))
  expect(computing.length).toBeGreaterThan(100)
  expect(computing.filter((file) => startsProcesses(file))).toEqual([])
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
