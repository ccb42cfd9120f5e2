import { describe, expect, it } from 'vitest'
import { createContext } from '../../../src/context/context.ts'
import { ConvergeError } from '../../../src/errors/converge-error.ts'
import type { LiveHost, LiveLook } from '../../../src/report/live-status.ts'
import { HostWatch } from '../../../src/run/watch/host-watch.ts'
import { untilNextTry } from '../../../src/run/watch/next-try.ts'
import { watchFleet } from '../../../src/run/watch/watch-fleet.ts'
import { openWatchScene, type SceneServer, sceneKey, type WatchScene } from '../../support/watch-scene.ts'

/** A clock that a test moves. */
function aClock() {
  let now = Date.parse('2026-11-26T12:00:00Z')
  return {
    now: () => now,
    pass: (seconds: number) => (now += seconds * 1000),
    sleep: async (ms: number) => void (now += ms),
  }
}

async function aWatch(services: Parameters<typeof openWatchScene>[0][number]) {
  const { signal } = new AbortController()
  const clock = aClock()
  const context = { ...createContext(process, { signal, force: signal }, ['status']), clock, now: () => new Date(clock.now()) }
  const scene = await openWatchScene([services], context)
  const [own] = scene.hosts
  if (own === undefined) throw new Error('no host')
  const watch = new HostWatch(scene.run, own.host, own.host.services, (work) => work())
  const server = (name = 'coder') => own.servers.get(name) as SceneServer
  return { scene, own, clock, watch, server }
}

async function lookAfter(
  seconds: number,
  { clock, watch }: { clock: ReturnType<typeof aClock>; watch: HostWatch },
): Promise<LiveHost> {
  clock.pass(seconds)
  await watch.look()
  // Facts are gathered beside the look.
  await new Promise((resolve) => setTimeout(resolve, 20))
  return watch.state
}

describe('a host that is watched', () => {
  it('is logged in to once, and asked for its facts once a minute', async () => {
    const one = await aWatch([{ name: 'coder' }])
    await using _ = one.scene
    for (let look = 0; look < 29; look += 1) await lookAfter(2, one)
    expect(one.own).toMatchObject({ logins: 1, gathered: 1 })
    await lookAfter(4, one)
    expect(one.own).toMatchObject({ logins: 1, gathered: 2 })
    one.watch.end()
  })

  it('shows figures between two looks', async () => {
    const one = await aWatch([
      { name: 'coder', ramGb: undefined as never },
      { name: 'flagship', kind: 'B', ramGb: 12 },
    ])
    await using _ = one.scene
    one.server().busy = 2
    one.server('flagship').busy = 1
    await lookAfter(0, one)
    one.server().tokens = 100
    const { services, usedBytes, totalBytes } = await lookAfter(2, one)
    const gibibyte = 1024 ** 3
    expect(services).toMatchObject([
      {
        service: 'coder',
        health: 'ready',
        busy: 2,
        slots: 4,
        tokensPerS: 100,
        residentBytes: 4 * gibibyte,
        limitBytes: 64 * gibibyte,
      },
      { service: 'flagship', busy: 1, tokensPerS: null, residentBytes: 4 * gibibyte, limitBytes: 12 * gibibyte },
    ])
    expect([usedBytes, totalBytes]).toEqual([40 * gibibyte, 64 * gibibyte])
    one.watch.end()
  })

  it('is asked for its facts soon after a server has ended, and the next program on its port gets no key', async () => {
    const one = await aWatch([{ name: 'coder' }])
    await using _ = one.scene
    await lookAfter(0, one)
    await lookAfter(20, one)
    expect(one.server().keys.at(-1)).toBe(`Bearer ${sceneKey}`)
    one.server().runs = false
    expect((await lookAfter(2, one)).services).toMatchObject([
      { state: 'unknown', notes: ['its process has ended; looking again'] },
    ])
    await lookAfter(2, one)
    expect(one.own.gathered).toBe(2)
    expect((await lookAfter(2, one)).services).toMatchObject([{ state: 'stopped' }])
    one.server().runs = true
    const before = one.server().keys.length
    await lookAfter(2, one)
    await lookAfter(2, one)
    expect(one.server().keys.slice(before, before + 2)).toEqual([undefined, undefined])
    await lookAfter(10, one)
    expect((await lookAfter(2, one)).services).toMatchObject([{ state: 'running', health: 'ready' }])
    expect(one.server().keys.at(-1)).toBe(`Bearer ${sceneKey}`)
    one.watch.end()
  })

  it('keeps its rows while it is out of reach, and is tried less and less often', async () => {
    const one = await aWatch([{ name: 'coder' }])
    await using _ = one.scene
    const { seenAt } = await lookAfter(0, one)
    one.own.fault = new ConvergeError('CONNECT.REFUSED', { summary: 'Refused.', why: 'Nothing listens.', next: [] })
    one.own.cut()
    expect(await lookAfter(2, one)).toMatchObject({ seenAt, problem: { code: 'CONNECT.LOST' }, services: [{ health: 'ready' }] })
    expect(await lookAfter(1, one)).toMatchObject({ problem: { code: 'CONNECT.LOST' } })
    expect(await lookAfter(1, one)).toMatchObject({ problem: { code: 'CONNECT.REFUSED' }, nextTryAt: '2026-11-26T12:00:08.000Z' })
    delete one.own.fault
    expect(await lookAfter(3, one)).toMatchObject({ problem: { code: 'CONNECT.REFUSED' } })
    expect(await lookAfter(1, one)).toMatchObject({ problem: null, nextTryAt: null })
    expect(one.own.logins).toBe(2)
    one.watch.end()
  })

  it('is not asked again at once where a bug or a login is in the way', async () => {
    const one = await aWatch([{ name: 'coder' }])
    await using _ = one.scene
    one.own.fault = new ConvergeError('CONNECT.AUTH_FAILED', { summary: 'No.', why: 'No key.', next: [] })
    await lookAfter(0, one)
    delete one.own.fault
    expect(await lookAfter(500, one)).toMatchObject({
      problem: { code: 'CONNECT.AUTH_FAILED' },
      services: [{ state: 'unreachable' }],
    })
    expect(await lookAfter(101, one)).toMatchObject({ problem: null })
    one.watch.end()
  })

  it.each([
    ['that is no HTTP', (response: { socket: { end(text: string): void } | null }) => response.socket?.end('SSH-2.0-x\r\n')],
    ['of two megabytes', (response: { end(text: string): void }) => response.end('[{"id":'.repeat(300_000))],
    ['with control characters', (response: { end(text: string): void }) => response.end('["\u001b[2J"]')],
  ])('does not mind an answer %s', async (_, instead) => {
    const one = await aWatch([{ name: 'coder' }, { name: 'writer' }])
    await using scene = one.scene
    expect(scene.hosts).toHaveLength(1)
    one.server().instead = (_request, response) => instead(response)
    expect(await lookAfter(0, one)).toMatchObject({ problem: null, services: [{ state: 'running' }, { health: 'ready' }] })
    one.watch.end()
  })
})

it('waits longer after each failure, and long for what a person has to mend', () => {
  expect([1, 2, 3, 6, 50].map((failures) => untilNextTry('CONNECT.LOST', failures))).toEqual([2000, 4000, 8000, 60_000, 60_000])
  expect(untilNextTry('CONNECT.HOST_KEY_CHANGED', 1)).toBe(600_000)
})

it('a slow host delays no other', async () => {
  const scene = await openWatchScene([[{ name: 'coder' }], [{ name: 'writer' }]])
  await using _ = scene
  const [, slow] = scene.hosts
  const run = {
    ...scene.run,
    observeOne: async (host: never) => (host === slow?.host ? new Promise<never>(() => undefined) : scene.run.observeOne(host)),
  }
  const looks = await someLooks({ ...scene, run }, 3)
  expect(looks.at(-1)?.hosts).toMatchObject([
    { services: [{ health: 'ready' }] },
    { seenAt: null, services: [{ state: 'unreachable' }] },
  ])
})

async function someLooks({ run }: WatchScene, count: number): Promise<readonly LiveLook[]> {
  const ended = new AbortController()
  const looks: LiveLook[] = []
  const show = (look: LiveLook) => {
    looks.push(look)
    if (looks.length === count) ended.abort()
  }
  await watchFleet(run, { intervalMs: 200, waitsForAll: false, show, signal: ended.signal })
  return looks
}
