import { mkdir, mkdtemp, readdir, rm, rmdir, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, type ExpectStatic, it } from 'vitest'
import { sha256 } from '../../src/lib/digest.ts'
import { lockInventory } from '../../src/state/controller-lock.ts'
import { thisProcess } from '../../src/state/process-identity.ts'
import { systemClock } from '../../src/time/clock.ts'

const holder = { owner: 'op', controller: hostname(), pid: process.pid, run_id: 'run-1' }
const inventory = '/srv/fleet'
const entryName = `${sha256(inventory).slice(0, 16)}-run-1`

async function openPlace() {
  const state = await mkdtemp(join(tmpdir(), 'lock-'))
  const said: string[] = []
  const interrupt = new AbortController()
  const place = { env: { CONVERGE_STATE_DIR: state }, cwd: '/', clock: systemClock, signal: interrupt.signal }
  return {
    interrupt,
    folder: join(state, 'locks'),
    said,
    lock: (more: object = {}) => lockInventory(place, { inventory, holder, note: (text) => said.push(text), ...more }),
    [Symbol.asyncDispose]: () => rm(state, { recursive: true, force: true }),
  }
}

const lockedBy = (expect: ExpectStatic, who: string) =>
  expect.objectContaining({ code: 'CONTROLLER.LOCKED', why: expect.stringContaining(who) })

describe.concurrent('the lock of an inventory on the controller', () => {
  it('blocks a second run, names its holder, and leaves nothing behind', async ({ expect }) => {
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

  it('is waited for as long as requested', async ({ expect }) => {
    await using place = await openPlace()
    const first = await place.lock()
    const began = Date.now()
    await expect(place.lock({ lockTimeoutMs: 2000 })).rejects.toEqual(lockedBy(expect, 'op@'))
    expect(Date.now() - began).toBeGreaterThan(1990)
    expect(place.said).toEqual([expect.stringContaining('Waiting for it')])
    const waiting = place.lock({ lockTimeoutMs: 10_000, holder: { ...holder, run_id: 'run-2' } })
    await first[Symbol.asyncDispose]()
    await using _ = await waiting
  })

  it('is no longer waited for after an interrupt', async ({ expect }) => {
    await using place = await openPlace()
    await using _ = await place.lock()
    const waiting = place.lock({ lockTimeoutMs: 60_000 })
    place.interrupt.abort()
    await expect(waiting).rejects.toThrow('aborted')
  })

  it('of other hosts can be held beside it, all of them at once or none', async ({ expect }) => {
    await using place = await openPlace()
    const mine = (run_id: string, ...hosts: string[]) => place.lock({ hosts, holder: { ...holder, run_id } })
    await using first = await mine('run-1', 'nas', 'box')
    await using second = await mine('run-2', 'studio')
    await expect(mine('run-3', 'mini', 'studio')).rejects.toMatchObject({
      code: 'CONTROLLER.LOCKED',
      why: expect.stringMatching(/run run-2.* holds the lock of studio in/),
      next: expect.arrayContaining([expect.stringContaining('--limit')]),
    })
    await using third = await mine('run-4', 'mini')
    expect([first, second, third].map(({ lost }) => lost.aborted)).toEqual([false, false, false])
    await expect(place.lock()).rejects.toMatchObject({ code: 'CONTROLLER.LOCKED' })
    await expect(mine('run-5', 'box')).rejects.toEqual(lockedBy(expect, 'run run-1'))
  })

  it('is never had by two that want the same host at the same moment', async ({ expect }) => {
    await using place = await openPlace()
    const names = ['a', 'b', 'c', 'd']
    const busy = new Set<string>()
    const work = async (n: number) => {
      const hosts = names.filter((_, index) => (n * 7 + 5) & (1 << index))
      const lock = await place.lock({ hosts, holder: { ...holder, run_id: `run-${n}` }, lockTimeoutMs: 60_000, staleMs: 10_000 })
      for (const host of hosts) expect(busy.has(host), host).toBe(false)
      for (const host of hosts) busy.add(host)
      await systemClock.sleep(20)
      for (const host of hosts) busy.delete(host)
      await lock[Symbol.asyncDispose]()
    }
    await Promise.all(Array.from({ length: 12 }, (_, n) => work(n)))
    expect(await readdir(place.folder)).toEqual([])
  }, 60_000)

  it('of a run that is only silent is not touched by a run about other hosts, and taken over for its own', async ({ expect }) => {
    await using place = await openPlace()
    await leave(place.folder, { ...holder, hosts: ['studio'], process: await thisProcess() })
    const longAgo = new Date(Date.now() - 60_000)
    await utimes(join(place.folder, `${entryName}.lock`), longAgo, longAgo)
    const mine = (...hosts: string[]) => place.lock({ hosts, holder: { ...holder, run_id: 'run-2' } })
    {
      await using _ = await mine('nas')
      expect(await readdir(place.folder)).toEqual(expect.arrayContaining([`${entryName}.json`, `${entryName}.lock`]))
    }
    {
      await using _ = await mine('studio')
      expect(await readdir(place.folder)).not.toContain(`${entryName}.json`)
    }
    await leave(place.folder, { ...holder, hosts: ['studio'], process: { ...(await thisProcess()), start: '1' } })
    await using _ = await mine('nas')
    expect(await readdir(place.folder)).not.toContain(`${entryName}.json`)
  })

  it('of a run that is proved to be gone is taken over at once', async ({ expect }) => {
    await using place = await openPlace()
    await leave(place.folder, { ...holder, process: { ...(await thisProcess()), start: '1' } })
    await using _ = await place.lock({ holder: { ...holder, run_id: 'run-2' } })
    // It waited for nothing.
    expect(place.said).toEqual([])
  })

  it('of a run that may have been killed is waited for until it is dead, and taken over', async ({ expect }) => {
    await using place = await openPlace()
    const { pid } = execa('true')
    await expect.poll(() => isThere(pid ?? 0)).toBe(false)
    const began = Date.now()
    await leave(place.folder, { ...holder, pid, process: { ...(await thisProcess()), boot: 'another', start: '1' } })
    await using _ = await place.lock({ staleMs: 5000, holder: { ...holder, run_id: 'run-2' } })
    expect(Date.now() - began).toBeGreaterThan(4000)
    expect(place.said).toEqual([expect.stringContaining('was killed')])
  })

  it('of a version that locks the whole inventory is waited for', async ({ expect }) => {
    await using place = await openPlace()
    await mkdir(place.folder, { mode: 0o700 })
    const file = join(place.folder, sha256(inventory).slice(0, 16))
    await mkdir(`${file}.lock`)
    await writeFile(`${file}.json`, JSON.stringify(holder))
    await expect(place.lock({ hosts: ['nas'], staleMs: 20_000 })).rejects.toEqual(lockedBy(expect, 'run run-1'))
  })

  it('is renewed by its holder, which notices when it is gone', async ({ expect }) => {
    await using place = await openPlace()
    await using first = await place.lock({ staleMs: 5000 })
    const lease = join(place.folder, `${entryName}.lock`)
    const renewedMs = async () => (await stat(lease)).mtimeMs
    const before = await renewedMs()
    await expect.poll(renewedMs).toBeGreaterThan(before)
    await expect(place.lock()).rejects.toEqual(lockedBy(expect, 'op@'))
    await rmdir(lease)
    await expect.poll(() => first.lost.aborted).toBe(true)
  })

  it('cannot be had where nothing can be written', async ({ expect }) => {
    await using place = await openPlace()
    await symlink('/nonexistent', place.folder)
    await expect(place.lock()).rejects.toMatchObject({ code: 'STATE.UNUSABLE' })
  })
})

/** The entry of a run, about all hosts unless it names some, that is not renewed. */
async function leave(folder: string, record: object): Promise<void> {
  const entry = join(folder, entryName)
  await mkdir(folder, { mode: 0o700, recursive: true })
  await mkdir(`${entry}.lock`)
  await writeFile(`${entry}.json`, JSON.stringify(record))
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
