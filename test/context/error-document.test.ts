import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { convergeHere, type Outcome } from '../support/converge-here.ts'

const example = join(import.meta.dirname, '../../inventories/home')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'converge-error-'))
  for (const name of ['plan.json', 'plan.md']) writeFileSync(join(folder, name), 'of an earlier run')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function plan(...args: readonly string[]): Promise<Outcome> {
  const formats = ['--format', `json=${join(folder, 'plan.json')}`, '--format', `markdown=${join(folder, 'plan.md')}`]
  const env = { ...process.env, CONVERGE_STATE_DIR: join(folder, 'state') }
  return convergeHere(['plan', ...args, ...formats], { cwd: folder, env })
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8')

test('what cannot begin leaves why in the JSON file, and reports about nothing', async () => {
  expect(await plan('-i', example, '--limit', 'nope')).toMatchObject({ code: 64 })
  expect(JSON.parse(read('plan.json'))).toMatchObject({ schema: 'converge/error/v1', code: 'USAGE.UNKNOWN_HOST', exit_code: 64 })
  expect(read('plan.md')).toBe('of an earlier run')
})

test('the mistakes of an inventory are in the JSON file as on stdout, and in every report', async () => {
  const path = join(folder, 'fleet.yaml')
  writeFileSync(path, 'all: 7\n')
  expect(await plan('-i', path)).toMatchObject({ code: 65 })
  const document = JSON.parse(read('plan.json'))
  expect(document).toMatchObject({ schema: 'converge/error/v1', exit_code: 65, issues: [{ code: 'INPUT.VALUE' }] })
  expect(JSON.parse((await plan('-i', path, '--json')).stdout)).toEqual(document)
  expect(read('plan.md')).toContain('INPUT.VALUE')
  expect(readdirSync(folder).toSorted()).toEqual(['fleet.yaml', 'plan.json', 'plan.md'])
})
