import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { catalogue } from '../../src/errors/catalogue.ts'
import { defaultInventory } from '../../src/inventory/default-inventory.ts'

const root = mkdtempSync(join(tmpdir(), 'converge-default-'))
let cwd = root
let count = 0
beforeEach(() => {
  cwd = join(root, String(count++))
  mkdirSync(cwd)
})
afterAll(() => rmSync(root, { recursive: true }))

function make(...folders: readonly string[]): void {
  for (const folder of folders) mkdirSync(join(cwd, 'inventories', folder), { recursive: true })
}

describe('without -i', () => {
  test('$CONVERGE_INVENTORY is taken', async () => {
    make('home')
    expect(await defaultInventory(cwd, { CONVERGE_INVENTORY: '/etc/house' })).toBe('/etc/house')
  })

  test('the only directory in inventories/ is taken', async () => {
    make('home', '.git')
    writeFileSync(join(cwd, 'inventories/README.md'), '# ours\n')
    expect(resolve(await defaultInventory(cwd, { CONVERGE_INVENTORY: '' }))).toBe(join(cwd, 'inventories/home'))
  })

  test('it is named as people would: relative to where they are', async () => {
    expect(await defaultInventory(process.cwd(), {})).toBe('inventories/home')
  })

  test('several are listed, none is taken', async () => {
    make('lab', 'home')
    await expect(defaultInventory(cwd, {})).rejects.toMatchObject({
      code: 'INVENTORY.WHICH',
      why: expect.stringContaining('2 inventories: home, lab'),
      next: expect.arrayContaining(['add: -i inventories/home', 'add: -i inventories/lab']),
    })
  })

  test.each([
    ['no folder', []],
    ['an empty folder', ['.hidden']],
  ] as const)('%s: nothing is guessed', async (_name, folders) => {
    make(...folders)
    await expect(defaultInventory(cwd, {})).rejects.toMatchObject({ code: 'INVENTORY.WHICH' })
    expect(catalogue['INVENTORY.WHICH'].exit).toBe(64)
  })
})
