import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { takeLock } from '../../src/apply/lock.ts'
import { runStep } from '../../src/apply/run-step.ts'
import { type LockState, ownerOf, readLock, removeLock } from '../../src/apply/unlock.ts'
import { systemClock } from '../../src/time/clock.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'
import { nonce } from './step-cases.ts'

const by = () => ({
  owner: 'eve',
  controller: 'desk',
  pid: 9,
  runId: 'unlock-1',
  token: randomUUID(),
  since: '2026-01-01T00:00:00.000Z',
  settleS: 0,
})

const hold = (host: ShTransport, runId = 'run-1') =>
  takeLock({
    transport: host,
    root: host.folder,
    owner: 'op',
    controller: 'laptop',
    pid: 4242,
    runId,
    token: randomUUID(),
    clock: systemClock,
    settleS: 0,
  })

const beatAgo = (host: ShTransport, seconds: number) =>
  writeFileSync(join(host.folder, 'lock/beat'), `${Math.floor(Date.now() / 1000) - seconds}\n`)

async function seen(host: ShTransport): Promise<LockState> {
  const lock = await readLock(host, host.folder)
  if (lock === undefined) throw new Error('it is not held')
  return lock
}

describe('taking a lock away', () => {
  it('shows its holder and removes it; the holder can then do nothing', async () => {
    await using host = await shTransport()
    const held = await hold(host)
    const lock = await seen(host)
    expect(lock).toMatchObject({ alive: true, silentS: expect.any(Number) })
    expect(ownerOf(lock)).toMatchObject({ owner: 'op', controller: 'laptop', pid: 4242, runId: 'run-1' })
    expect(await removeLock(host, host.folder, lock, by())).toBe(true)
    expect(readdirSync(host.folder)).toEqual(['audit.log'])
    const log = readFileSync(join(host.folder, 'audit.log'), 'utf8').trim().split('\n')
    expect(log.map((line): unknown => JSON.parse(line))).toMatchObject([
      { event: 'lock-removed', run_id: 'unlock-1', note: expect.stringMatching(/^eve@desk removed the lock of op@laptop/) },
      { event: 'run-ended', run_id: 'unlock-1' },
    ])
    const act = { do: 'run', label: 'act', guards: [], script: 'touch acted', args: [], timeoutMs: 5000 } as const
    const failure = await runStep(act, { transport: host, clock: systemClock, nonce, fence: held.fence })
    expect(failure).toEqual({ kind: 'lock-lost' })
    expect(await held.release()).toBeUndefined()
    expect(await readLock(host, host.folder)).toBeUndefined()
  })

  it('takes away that of a run that died before it left its name', async () => {
    await using host = await shTransport()
    mkdirSync(join(host.folder, 'lock'))
    const lock = await seen(host)
    expect(ownerOf(lock)).toEqual({ owner: null, controller: null, pid: null, runId: null, since: null })
    expect(await removeLock(host, host.folder, lock, by())).toBe(true)
    expect(existsSync(join(host.folder, 'lock'))).toBe(false)
  })

  it('leaves it alone when it changed hands in the meantime', async () => {
    await using host = await shTransport()
    const first = await hold(host)
    const lock = await seen(host)
    await first.release()
    const second = await hold(host, 'run-2')
    const owner = readFileSync(join(host.folder, 'lock/owner'), 'utf8')
    await expect(removeLock(host, host.folder, lock, by())).rejects.toMatchObject({
      code: 'APPLY.LOCK_CHANGED',
      why: expect.stringContaining('run run-2'),
    })
    expect(readFileSync(join(host.folder, 'lock/owner'), 'utf8')).toBe(owner)
    await second.release()
  })

  it('leaves it alone when it was dead and its holder woke up', async () => {
    await using host = await shTransport()
    const held = await hold(host)
    beatAgo(host, 500)
    const lock = await seen(host)
    expect(lock.alive).toBe(false)
    beatAgo(host, 0)
    await expect(removeLock(host, host.folder, lock, by())).rejects.toMatchObject({ code: 'APPLY.LOCK_ALIVE' })
    expect(await held.release()).toBeUndefined()
  })

  it('says so when it was given back, or is just being given back', async () => {
    await using host = await shTransport()
    const held = await hold(host)
    const lock = await seen(host)
    mkdirSync(join(host.folder, 'lock/heir'))
    await expect(removeLock(host, host.folder, lock, by())).rejects.toMatchObject({
      code: 'APPLY.LOCK_CHANGED',
      why: expect.stringContaining('released'),
    })
    expect(readdirSync(join(host.folder, 'lock')).toSorted()).toEqual(['beat', 'heir', 'owner'])
    await host.exec({ label: '', text: ['rmdir lock/heir'], args: [], elevate: true, timeoutMs: 5000 })
    await held.release()
    expect(await removeLock(host, host.folder, lock, by())).toBe(false)
  })

  it('names foreign files in it, and still has no holder', async () => {
    await using host = await shTransport()
    const held = await hold(host)
    writeFileSync(join(host.folder, 'lock/notes.txt'), '')
    const lock = await seen(host)
    await expect(removeLock(host, host.folder, lock, by())).rejects.toMatchObject({
      code: 'APPLY.LOCK_UNUSABLE',
      why: expect.stringContaining('notes.txt'),
    })
    expect(readdirSync(join(host.folder, 'lock'))).toEqual(['notes.txt'])
    expect(await held.release()).toBeUndefined()
  })

  it('goes to one of two runs that remove the same lock at once', async () => {
    await using host = await shTransport()
    await hold(host)
    beatAgo(host, 500)
    const lock = await seen(host)
    const ends = await Promise.allSettled([1, 2].map(() => removeLock(host, host.folder, lock, { ...by(), settleS: 1 })))
    const did = ends.map((end) => (end.status === 'fulfilled' ? end.value : 'not'))
    expect(did.filter((end) => end === true)).toHaveLength(1)
    expect(existsSync(join(host.folder, 'lock'))).toBe(false)
  })

  it('cannot be where a file is in its place', async () => {
    await using host = await shTransport()
    writeFileSync(join(host.folder, 'lock'), '')
    await expect(readLock(host, host.folder)).rejects.toMatchObject({ code: 'APPLY.LOCK_UNUSABLE' })
  })
})
