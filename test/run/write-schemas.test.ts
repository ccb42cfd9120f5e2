import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadInventory } from '../../src/load/load.ts'
import { writeSchemas } from '../../src/run/write-schemas.ts'

const today = { inventory: { title: 'today' }, playbook: { title: 'plays' } }
let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-schemas-'))
})
afterEach(() => rm(folder, { recursive: true }))

const outcomesOf = async (schemas: Parameters<typeof writeSchemas>[1]) =>
  (await writeSchemas(join(folder, '.schemas'), schemas)).map(({ outcome }) => outcome)

describe('schemas beside an inventory', () => {
  test('are written once, and replaced by another version', async () => {
    expect(await outcomesOf(today)).toEqual(['written', 'written'])
    expect(await outcomesOf(today)).toEqual(['unchanged', 'unchanged'])
    expect(await outcomesOf({ ...today, inventory: { title: 'tomorrow' } })).toEqual(['replaced', 'unchanged'])
    expect(JSON.parse(await readFile(join(folder, '.schemas/inventory.schema.json'), 'utf8'))).toMatchObject({
      title: 'tomorrow',
    })
  })

  test.each([
    ['edited', (text: string) => text.replace('today', 'mine')],
    ['without its signature', (text: string) => text.replace(/,\s*"\$comment".*/, '')],
    ['no JSON', () => 'mine'],
    ['empty', () => ''],
  ])('are left alone where one is %s, and no other is written', async (_, edit) => {
    await outcomesOf({ inventory: today.inventory })
    const path = join(folder, '.schemas/inventory.schema.json')
    const mine = edit(await readFile(path, 'utf8'))
    await writeFile(path, mine)
    await expect(outcomesOf({ playbook: today.playbook, inventory: { title: 'tomorrow' } })).rejects.toMatchObject({
      code: 'USAGE.SCHEMA_FILE',
    })
    expect(await readFile(path, 'utf8')).toBe(mine)
    await expect(readFile(join(folder, '.schemas/playbook.schema.json'))).rejects.toThrow('ENOENT')
  })

  test('are not written through a link that leads out of the inventory', async () => {
    const elsewhere = join(folder, 'elsewhere')
    await mkdir(elsewhere)
    await symlink(elsewhere, join(folder, '.schemas'))
    await expect(outcomesOf(today)).rejects.toMatchObject({ code: 'USAGE.SCHEMA_FILE' })
    expect(await readdir(elsewhere)).toEqual([])
  })

  test.each([
    ['a named pipe', (path: string) => void execFileSync('mkfifo', [path])],
    ['a link', (path: string) => symlink('/etc/hostname', path)],
    ['a folder', (path: string) => mkdir(path)],
  ])('do not replace %s', async (_, make) => {
    await mkdir(join(folder, '.schemas'))
    await make(join(folder, '.schemas/inventory.schema.json'))
    await expect(outcomesOf(today)).rejects.toMatchObject({ code: 'USAGE.SCHEMA_FILE' })
    expect(await readdir(join(folder, '.schemas'))).toEqual(['inventory.schema.json'])
  })

  test('are no part of the inventory', async () => {
    await writeFile(join(folder, 'hosts.yaml'), 'all: { hosts: { nas: } }\n')
    await mkdir(join(folder, 'group_vars'))
    await outcomesOf(today)
    const { fleet, warnings } = await loadInventory(folder)
    expect(warnings).toEqual([])
    expect(fleet.hosts.map(({ name }) => name)).toEqual(['nas'])
  })
})
