import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FileEdit } from '../../src/model/file-edit.ts'
import { writeEdits } from '../../src/run/write-edits.ts'

let folder: string
const at = (name: string) => join(folder, name)
const text = (name: string) => readFileSync(at(name), 'utf8')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'write-edits-'))
  writeFileSync(at('hosts.yaml'), 'old hosts')
  writeFileSync(at('vars.yaml'), 'old vars')
})
afterEach(() => rmSync(folder, { recursive: true }))

const hosts = (): FileEdit => ({ file: at('hosts.yaml'), before: 'old hosts', after: 'new hosts' })
const vars = (): FileEdit => ({ file: at('vars.yaml'), before: 'old vars', after: 'new vars' })
const added = (): FileEdit => ({ file: at('host_vars/a/b.yaml'), before: null, after: 'new' })
/** Its name leaves no room for that of the temporary file. */
const impossible = (): FileEdit => ({ file: at(`${'x'.repeat(250)}.yaml`), before: null, after: 'new' })

function writing(...edits: readonly FileEdit[]) {
  return writeEdits(edits, { next: ['again'] })
}

test('all files are written, with new folders, and nothing else is left', async () => {
  chmodSync(at('hosts.yaml'), 0o640)
  await writing(hosts(), vars(), added())
  expect([text('hosts.yaml'), text('vars.yaml'), text('host_vars/a/b.yaml')]).toEqual(['new hosts', 'new vars', 'new'])
  expect(statSync(at('hosts.yaml')).mode & 0o777).toBe(0o640)
  expect(readdirSync(folder).toSorted()).toEqual(['host_vars', 'hosts.yaml', 'vars.yaml'])
})

test('a link stays one', async () => {
  symlinkSync('vars.yaml', at('link.yaml'))
  await writing({ ...vars(), file: at('link.yaml') })
  expect([lstatSync(at('link.yaml')).isSymbolicLink(), text('vars.yaml')]).toEqual([true, 'new vars'])
})

test.each([
  ['changed', () => writeFileSync(at('vars.yaml'), 'other')],
  ['was removed', () => rmSync(at('vars.yaml'))],
  ['changed', () => (rmSync(at('vars.yaml')), mkdirSync(at('vars.yaml')))],
])('nothing is written if a file %s', async (words, change) => {
  change()
  await expect(writing(hosts(), vars())).rejects.toMatchObject({
    code: 'INVENTORY.CHANGED',
    why: `${at('vars.yaml')} ${words} after converge read the inventory. Nothing was written.`,
    next: ['again'],
  })
  expect(text('hosts.yaml')).toBe('old hosts')
})

test.each([
  ['file', () => writeFileSync(at('host_vars/a/b.yaml'), '')],
  ['dangling link', () => symlinkSync('nothing', at('host_vars/a/b.yaml'))],
])('nothing is written if a new file exists, as a %s', async (_, appear) => {
  mkdirSync(at('host_vars/a'), { recursive: true })
  appear()
  await expect(writing(hosts(), added())).rejects.toMatchObject({
    code: 'INVENTORY.CHANGED',
    why: `${at('host_vars/a/b.yaml')} appeared after converge read the inventory. Nothing was written.`,
  })
  expect(text('hosts.yaml')).toBe('old hosts')
})

test('files that were written are restored if a later one fails', async () => {
  chmodSync(at('hosts.yaml'), 0o640)
  await expect(writing(hosts(), added(), impossible())).rejects.toMatchObject({
    code: 'USAGE.OUTPUT_FILE',
    summary: 'The inventory could not be written.',
    why: `${impossible().file}: ENAMETOOLONG: name too long. Files written before are as they were: ${added().file}, ${hosts().file}.`,
  })
  expect([text('hosts.yaml'), existsSync(at('host_vars'))]).toEqual(['old hosts', false])
  expect(statSync(at('hosts.yaml')).mode & 0o777).toBe(0o640)
})

test('two edits of one file are refused, and the first is restored', async () => {
  symlinkSync('vars.yaml', at('link.yaml'))
  await expect(writing(vars(), { ...vars(), file: at('link.yaml') })).rejects.toMatchObject({
    code: 'INVENTORY.CHANGED',
    why: `${at('link.yaml')} changed after converge read the inventory. Files written before are as they were: ${at('vars.yaml')}.`,
  })
  expect(text('vars.yaml')).toBe('old vars')
})

test('a failure of the first write says that nothing was written', async () => {
  await expect(writing(impossible())).rejects.toMatchObject({ why: expect.stringMatching(/Nothing was written\.$/u) })
})
