import { expect, it } from 'vitest'
import { createContext } from '../../src/context/context.ts'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { RunEvent } from '../../src/model/event.ts'
import { observeFleet } from '../../src/run/observe-fleet.ts'
import { aFleet, aHost } from '../support/build.ts'

it('what goes wrong about one host is that host’s problem, a bug as well', async () => {
  const { signal } = new AbortController()
  const events: RunEvent[] = []
  const refused = new ConvergeError('CONNECT.REFUSED', { summary: 'refused', why: 'nothing listens', next: [] })
  const trouble = new Map<string, Error>([
    ['nas', new TypeError('a bug')],
    ['box', refused],
  ])
  const released: string[] = []
  const hosts = [aHost({ name: 'nas' }), aHost({ name: 'box' })]
  const seen = await observeFleet(createContext(process, { signal, force: signal }, ['plan']), {
    fleet: aFleet({ hosts }),
    keys: new Map(),
    connections: {
      to: async ({ name }) => Promise.reject(trouble.get(name) ?? new Error(name)),
      anew: async ({ name }) => Promise.reject(trouble.get(name) ?? new Error(name)),
      release: async ({ name }) => void released.push(name),
      closeAll: async () => undefined,
    },
    timeoutMs: 1000,
    emit: (event) => void events.push(event),
    hosts,
    forks: 2,
    keep: false,
    phase: 'gather',
  })
  expect([...seen].map(([host, facts]) => [host, 'code' in facts ? facts.code : 'facts'])).toEqual([
    ['nas', 'INTERNAL.HOST'],
    ['box', 'CONNECT.REFUSED'],
  ])
  expect(released.toSorted()).toEqual(['box', 'nas'])
  expect(events.filter((event) => event.type === 'host-finished')).toHaveLength(2)
})
