import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { auditLine } from '../../src/apply/audit-log.ts'
import { type LockRequest, takeLock } from '../../src/apply/lock.ts'
import { runStep } from '../../src/apply/run-step.ts'
import { systemClock } from '../../src/time/clock.ts'
import { casesOf } from '../support/series.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'
import { nonce } from './step-cases.ts'

function requestOf(transport: ShTransport, changes: Partial<LockRequest> = {}): LockRequest {
  const who = { owner: 'op', controller: 'laptop', pid: 4242, runId: 'run-1' }
  return {
    transport,
    root: join(transport.folder, 'etc/converge'),
    ...who,
    token: randomUUID(),
    clock: systemClock,
    settleS: 0,
    ...changes,
  }
}

const lockOf = (host: ShTransport) => join(host.folder, 'etc/converge/lock')

/** A lock whose holder sent its last heartbeat so many seconds ago. */
function abandonedLock(host: ShTransport, ageS: number): void {
  mkdirSync(lockOf(host), { recursive: true })
  const holder = { controller: 'desk', owner: 'eve', pid: 7, runId: 'run-0', since: '2026-01-01T00:00:00.000Z', token: 'old' }
  writeFileSync(join(lockOf(host), 'owner'), `${JSON.stringify(holder)}\n`)
  writeFileSync(join(lockOf(host), 'beat'), `${Math.floor(Date.now() / 1000) - ageS}\n`)
}

const act = { do: 'run', label: 'act', guards: [], script: 'touch acted', args: [], timeoutMs: 5000 } as const

describe('the lock on a host', () => {
  it('names its holder, holds off everybody else, and is gone after release', async () => {
    await using host = await shTransport()
    const lock = await takeLock(requestOf(host))
    expect(JSON.parse(readFileSync(join(lockOf(host), 'owner'), 'utf8'))).toMatchObject({
      owner: 'op',
      controller: 'laptop',
      pid: 4242,
    })
    await expect(takeLock(requestOf(host))).rejects.toMatchObject({
      code: 'APPLY.LOCKED',
      why: expect.stringMatching(/op@laptop \(process 4242, run run-1, since .*last heartbeat was \d s ago/),
    })
    expect(await lock.release()).toBeUndefined()
    expect(existsSync(lockOf(host))).toBe(false)
    const next = await takeLock(requestOf(host))
    expect(next.note).toBeUndefined()
    await next.release()
  })

  it('takes the last output of its holder along if the lock is still held', async () => {
    await using host = await shTransport()
    const log = join(host.folder, 'audit.log')
    const lines = [auditLine('run-1', { event: 'service-settled', service: 'coder' }), auditLine('run-1', { event: 'run-ended' })]
    const lock = await takeLock(requestOf(host))
    expect(await lock.release({ log, lines })).toBeUndefined()
    const entries = readFileSync(log, 'utf8').trimEnd().split('\n')
    expect(entries.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'service-settled', service: 'coder' },
      { event: 'run-ended' },
    ])

    const lost = await takeLock(requestOf(host, { token: 'old' }))
    abandonedLock(host, 121)
    const heir = await takeLock(requestOf(host))
    expect(await lost.release({ log, lines })).toBeUndefined()
    expect(readFileSync(log, 'utf8').split('\n')).toHaveLength(3)
    expect(await heir.release({ log: join(host.folder, 'no/such/folder'), lines })).toBeUndefined()
    expect(existsSync(lockOf(host))).toBe(false)
  })

  it('is not taken from a holder that was silent for a minute', async () => {
    await using host = await shTransport()
    abandonedLock(host, 60)
    await expect(takeLock(requestOf(host))).rejects.toMatchObject({
      code: 'APPLY.LOCKED',
      why: expect.stringContaining('eve@desk'),
    })
  })

  it('is taken over from a dead holder, which then can neither act nor release', async () => {
    await using host = await shTransport()
    const old = await takeLock(requestOf(host, { token: 'old' }))
    abandonedLock(host, 121)
    const lock = await takeLock(requestOf(host))
    expect(lock.note).toMatch(/^took over a dead lock: eve@desk .* was silent for 12\d s$/)
    const context = { transport: host, clock: systemClock, nonce }
    expect(await runStep(act, { ...context, fence: old.fence })).toEqual({ kind: 'lock-lost' })
    expect(await old.release()).toBeUndefined()
    expect(existsSync(join(host.folder, 'acted'))).toBe(false)
    expect(await runStep(act, { ...context, fence: lock.fence })).toBeUndefined()
    expect(existsSync(join(host.folder, 'acted'))).toBe(true)
    await lock.release()
    expect(readdirSync(join(host.folder, 'etc/converge'))).toEqual([])
  })

  it('is kept alive by its holder', async () => {
    await using host = await shTransport()
    const lock = await takeLock(requestOf(host, { ttlS: 1 }))
    const beat = () => readFileSync(join(lockOf(host), 'beat'), 'utf8')
    const first = beat()
    await expect.poll(beat).not.toBe(first)
    await lock.release()
  })

  it('without owner and beat, as a crash in the middle of taking leaves it, holds others off', async () => {
    await using host = await shTransport()
    mkdirSync(lockOf(host), { recursive: true })
    await expect(takeLock(requestOf(host))).rejects.toMatchObject({
      code: 'APPLY.LOCKED',
      why: expect.stringContaining('an unnamed run'),
    })
  })

  it('whose takeover crashed halfway is still taken over', async () => {
    await using host = await shTransport()
    abandonedLock(host, 500)
    mkdirSync(join(lockOf(host), 'heir'))
    await expect(takeLock(requestOf(host))).rejects.toMatchObject({ code: 'APPLY.LOCKED' })
    const fiveMinutesAgo = Date.now() / 1000 - 300
    utimesSync(join(lockOf(host), 'heir'), fiveMinutesAgo, fiveMinutesAgo)
    const lock = await takeLock(requestOf(host))
    expect(lock.note).toContain('eve@desk')
    await lock.release()
  })

  it('cannot be made where a file is in its way, and says so', async () => {
    await using host = await shTransport()
    mkdirSync(join(host.folder, 'etc/converge'), { recursive: true })
    writeFileSync(lockOf(host), '')
    await expect(takeLock(requestOf(host))).rejects.toMatchObject({
      code: 'APPLY.LOCK_UNUSABLE',
      why: expect.stringContaining('File exists'),
    })
  })

  it('that cannot be released is reported, not thrown', async () => {
    await using host = await shTransport()
    const lock = await takeLock(requestOf(host))
    host.cut()
    expect(await lock.release()).toMatchObject({ code: 'APPLY.LOCK_UNUSABLE', next: [expect.stringContaining('120 s')] })
  })

  it.each([
    ['a free lock', undefined],
    ['a dead lock', 200],
  ])('goes to exactly one of two runs that take %s at once, repeatedly', async (_name, ageS) => {
    await using host = await shTransport()
    for (let round = 0; round < casesOf({ short: 12, long: 200 }); round++) {
      if (ageS !== undefined) abandonedLock(host, ageS)
      const ends = await Promise.allSettled([takeLock(requestOf(host)), takeLock(requestOf(host))])
      const won = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
      const lost = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
      expect(won).toHaveLength(1)
      expect(lost).toMatchObject([{ code: 'APPLY.LOCKED' }])
      const context = { transport: host, clock: systemClock, nonce }
      for (const lock of won) {
        expect(await runStep(act, { ...context, fence: lock.fence })).toBeUndefined()
        expect(await lock.release()).toBeUndefined()
      }
      expect(existsSync(lockOf(host))).toBe(false)
    }
  })
})
