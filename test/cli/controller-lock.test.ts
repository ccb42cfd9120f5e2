import { mkdir, mkdtemp, readdir, rm, rmdir, symlink, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, type ExpectStatic, it } from 'vitest'
import { lockInventory } from '../../src/cli/controller-lock.ts'
import { sha256 } from '../../src/lib/digest.ts'
import { systemClock } from '../../src/time/clock.ts'

const holder = { owner: 'op', controller: hostname(), pid: process.pid, run_id: 'run-1' }
const inventory = '/srv/fleet'

async function openPlace() {
  const state = await mkdtemp(join(tmpdir(), 'lock-'))
  const said: string[] = []
  const interrupt = new AbortController()
  const place = { env: { CONVERGE_STATE_DIR: state }, cwd: '/', clock: systemClock, signal: interrupt.signal }
  return {
    interrupt,
    folder: join(state, 'locks'),
    said,
    lock: (more: object = {}) =>
      lockInventory(place, { inventory, holder, staleMs: 2000, say: (text) => said.push(text), ...more }),
    [Symbol.asyncDispose]: () => rm(state, { recursive: true, force: true }),
  }
}

const lockedBy = (expect: ExpectStatic, who: string) =>
  expect.objectContaining({ code: 'CONTROLLER.LOCKED', why: expect.stringContaining(who) })

describe.concurrent('the lock of an inventory on the controller', () => {
  it('keeps a second run away, names who has it, and leaves nothing behind', async ({ expect }) => {
    await using place = await openPlace()
    {
      await using _ = await place.lock()
      await expect(place.lock()).rejects.toEqual(
        lockedBy(expect, `op@${hostname()} (process ${process.pid}, run run-1, since 20`),
      )
      await (await place.lock({ inventory: '/srv/another' }))[Symbol.asyncDispose]()
    }
    expect(await readdir(place.folder)).toEqual([])
    await using _ = await place.lock()
  })

  it('is waited for as long as somebody wants to wait', async ({ expect }) => {
    await using place = await openPlace()
    const first = await place.lock()
    const began = Date.now()
    await expect(place.lock({ lockTimeoutMs: 600 })).rejects.toEqual(lockedBy(expect, 'op@'))
    expect(Date.now() - began).toBeGreaterThan(590)
    expect(place.said).toEqual([expect.stringContaining('Waiting for it')])
    const waiting = place.lock({ lockTimeoutMs: 10_000 })
    await first[Symbol.asyncDispose]()
    await using _ = await waiting
  })

  it('is not waited for any more after an interrupt', async ({ expect }) => {
    await using place = await openPlace()
    await using _ = await place.lock()
    const waiting = place.lock({ lockTimeoutMs: 60_000 })
    place.interrupt.abort()
    await expect(waiting).rejects.toThrow('aborted')
  })

  it('of a run that was killed is waited for until it is dead, and taken over', async ({ expect }) => {
    await using place = await openPlace()
    const { pid } = execa('true')
    await expect.poll(() => isThere(pid ?? 0)).toBe(false)
    await mkdir(place.folder, { mode: 0o700 })
    const file = join(place.folder, sha256(inventory).slice(0, 16))
    await mkdir(`${file}.lock`)
    await writeFile(`${file}.json`, JSON.stringify({ ...holder, pid }))
    const began = Date.now()
    await using _ = await place.lock()
    expect(Date.now() - began).toBeGreaterThan(1000)
    expect(place.said).toEqual([expect.stringContaining('was killed')])
  })

  it('is renewed by its holder, who is told when it is gone', async ({ expect }) => {
    await using place = await openPlace()
    await using first = await place.lock()
    await systemClock.sleep(2500)
    await expect(place.lock()).rejects.toEqual(lockedBy(expect, 'op@'))
    await rmdir(join(place.folder, `${sha256(inventory).slice(0, 16)}.lock`))
    await expect.poll(() => first.lost.aborted, { timeout: 3000 }).toBe(true)
  })

  it('cannot be had where nothing can be written', async ({ expect }) => {
    await using place = await openPlace()
    await symlink('/nonexistent', place.folder)
    await expect(place.lock()).rejects.toMatchObject({ code: 'STATE.UNUSABLE' })
  })
})

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
