import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createContext } from '../../src/context/context.ts'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { RunEvent } from '../../src/model/event.ts'
import { observeFleet } from '../../src/run/observe-fleet.ts'
import { aFleet, aHost } from '../support/build.ts'

/** Observes hosts to which no connection can be opened. */
async function observe(names: readonly string[], failureOf: (host: string) => Promise<Error>) {
  const { signal } = new AbortController()
  const events: RunEvent[] = []
  const released: string[] = []
  const hosts = names.map((name) => aHost({ name }))
  const to = async ({ name }: { readonly name: string }) => Promise.reject(await failureOf(name))
  const seen = await observeFleet(createContext(process, { signal, force: signal }, ['plan']), {
    fleet: aFleet({ hosts }),
    keys: new Map(),
    connections: { to, anew: to, release: async ({ name }) => void released.push(name), closeAll: async () => undefined },
    timeoutMs: 1000,
    emit: (event) => void events.push(event),
    hosts,
    forks: 4,
    keep: false,
    phase: 'gather',
  })
  return { codes: [...seen].map(([host, facts]) => [host, 'code' in facts ? facts.code : 'facts']), events, released }
}

function failure(code: 'CONNECT.REFUSED' | 'CONNECT.SLOW'): Error {
  return new ConvergeError(code, { summary: 'failed', why: 'nothing listens', next: [] })
}

it('what goes wrong about one host is that host’s problem, a bug as well', async () => {
  const { codes, events, released } = await observe(['nas', 'box'], async (name) =>
    name === 'nas' ? new TypeError('a bug') : failure('CONNECT.REFUSED'),
  )
  expect(codes).toEqual([
    ['nas', 'INTERNAL.HOST'],
    ['box', 'CONNECT.REFUSED'],
  ])
  expect(released.toSorted()).toEqual(['box', 'nas'])
  expect(events.filter((event) => event.type === 'host-finished')).toHaveLength(2)
})

it('hosts that are too slow are asked once more after the others, fewer at a time', async () => {
  const asked: string[] = []
  let now = 0
  const most = { first: 0, again: 0 }
  const { codes, events } = await observe(['a', 'b', 'c', 'd', 'e'], async (name) => {
    const round = asked.includes(name) ? 'again' : 'first'
    asked.push(name)
    now += 1
    most[round] = Math.max(most[round], now)
    await setTimeout(5)
    now -= 1
    return name === 'd' || (name === 'e' && round === 'again') ? failure('CONNECT.REFUSED') : failure('CONNECT.SLOW')
  })
  expect(asked).toEqual(['a', 'b', 'c', 'd', 'e', 'a', 'b', 'c', 'e'])
  expect(most).toEqual({ first: 4, again: 1 })
  const slow = ['a', 'b', 'c'].map((name) => [name, 'CONNECT.SLOW'])
  expect(codes).toEqual([...slow, ['d', 'CONNECT.REFUSED'], ['e', 'CONNECT.REFUSED']])
  expect(events.filter((event) => event.type === 'host-finished').map(({ host }) => host)).toEqual(['d', 'a', 'b', 'c', 'e'])
  expect(events.filter((event) => event.type === 'host-note').map(({ host }) => host)).toEqual(['a', 'b', 'c', 'e'])
})

it('a host that is planned alone is asked once', async () => {
  const { codes, events } = await observe(['a'], async () => failure('CONNECT.SLOW'))
  expect(codes).toEqual([['a', 'CONNECT.SLOW']])
  expect(events.map(({ type }) => type)).toEqual(['phase', 'host-started', 'host-finished'])
})
