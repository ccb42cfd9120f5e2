import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { catalogue } from '../../src/errors/catalogue.ts'
import { defaultInventory } from '../../src/load/default-inventory.ts'

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
    expect(await defaultInventory({ cwd, env: { CONVERGE_INVENTORY: '/etc/house' } })).toBe('/etc/house')
  })

  test('the only directory in inventories/ is taken', async () => {
    make('home', '.git')
    writeFileSync(join(cwd, 'inventories/README.md'), '# ours\n')
    expect(resolve(await defaultInventory({ cwd, env: { CONVERGE_INVENTORY: '' } }))).toBe(join(cwd, 'inventories/home'))
  })

  test('it is named as people would: relative to where they are', async () => {
    expect(await defaultInventory({ cwd: process.cwd(), env: {} })).toBe('inventories/home')
  })

  test('several are listed, none is taken', async () => {
    make('lab', 'home')
    await expect(defaultInventory({ cwd, env: {} })).rejects.toMatchObject({
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
    await expect(defaultInventory({ cwd, env: {} })).rejects.toMatchObject({ code: 'INVENTORY.WHICH' })
    expect(catalogue['INVENTORY.WHICH'].exit).toBe(64)
  })

  test('an unreadable folder is reported with the reason', async () => {
    symlinkSync('inventories', join(cwd, 'inventories'))
    await expect(defaultInventory({ cwd, env: {} })).rejects.toMatchObject({
      code: 'INVENTORY.WHICH',
      why: expect.stringContaining('links form a loop'),
    })
  })

  test.each(['/etc', '/nonexistent'])('a link to %s is not listed where all is closed', async (target) => {
    symlinkSync(target, join(cwd, 'inventories'))
    await expect(defaultInventory({ cwd, env: {} }, { isClosed: true })).rejects.toMatchObject({
      code: 'INVENTORY.INVALID',
      issues: [{ code: 'INPUT.OUTSIDE' }],
    })
  })

  test('a link within the same folder is listed where all is closed', async () => {
    mkdirSync(join(cwd, 'fleets/home'), { recursive: true })
    symlinkSync('fleets', join(cwd, 'inventories'))
    const found = vi.spyOn(process, 'cwd').mockReturnValue(cwd)
    expect(await defaultInventory({ cwd, env: {} }, { isClosed: true })).toBe('inventories/home')
    found.mockRestore()
  })
})
