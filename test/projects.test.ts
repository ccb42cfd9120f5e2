import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { withProcesses } from '../vitest.config.ts'

const root = join(import.meta.dirname, '..')

test('what starts a process is in another project than what only reckons', () => {
  const elsewhere = new Set(globSync([...withProcesses, 'test/{lab,integration}/**/*.test.ts'], { cwd: root }))
  const reckoning = globSync('test/**/*.test.ts', { cwd: root }).filter((file) => !elsewhere.has(file))
  expect(reckoning.length).toBeGreaterThan(100)
  expect(reckoning.filter((file) => startsProcesses(file))).toEqual([])
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
