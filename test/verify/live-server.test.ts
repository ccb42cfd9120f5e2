import { describe, expect, it } from 'vitest'
import { Secret } from '../../src/model/secret.ts'
import { createLiveServer, type LiveQuestion } from '../../src/verify/live-server.ts'
import { type Behaviour, type ModelServer, startKindA, startKindB } from '../support/model-servers.ts'
import { shTransport } from '../support/sh-transport.ts'

const key = new Secret('right-key', 'a test')
const noKeys = async () => []

async function watched(
  kind: 'A' | 'B',
  behaviour: Behaviour,
  question: Partial<LiveQuestion>,
  look: (ask: () => Promise<unknown>, server: ModelServer) => Promise<void>,
): Promise<void> {
  await using server = await (kind === 'A' ? startKindA : startKindB)({ key: 'right-key', ...behaviour })
  await using transport = await shTransport()
  const live = createLiveServer(transport, { port: server.port, kind, key, otherKeys: noKeys, onlyHealth: false, ...question })
  await look(async () => {
    const { http, load } = await live.ask()
    return [http.known ? http.value.health.status : http.because, load?.busy]
  }, server)
  live.end()
}

describe('a Kind A that is watched', () => {
  it('is asked one thing a look', async () => {
    await watched('A', { busy: 1 }, {}, async (ask, { answered }) => {
      expect([await ask(), await ask()]).toEqual([
        [200, 1],
        [200, 1],
      ])
      expect(answered).toEqual(['GET /slots', 'GET /slots'])
    })
  })

  it('is asked for its health only, if more would keep it awake', async () => {
    await watched('A', { busy: 1 }, { onlyHealth: true }, async (ask, { answered }) => {
      expect([await ask(), await ask()]).toEqual([
        [200, undefined],
        [200, undefined],
      ])
      expect(answered).toEqual(['GET /health', 'GET /health'])
    })
  })

  it.each<[string, Behaviour, Partial<LiveQuestion>]>([
    ['hides its slots', { slots: 'off' }, {}],
    ['has another key', {}, { key: new Secret('wrong-key', 'a test') }],
  ])('that %s is asked for them once', async (_, behaviour, question) => {
    await watched('A', behaviour, question, async (ask, { answered }) => {
      expect([await ask(), await ask()]).toEqual([
        [200, undefined],
        [200, undefined],
      ])
      expect(answered).toEqual(['GET /slots', 'GET /health', 'GET /health'])
    })
  })

  it('is asked with the key that it was started with', async () => {
    const question = { key: new Secret('new-key', 'a test'), otherKeys: async () => [key] }
    await watched('A', { busy: 1 }, question, async (ask, { answered }) => {
      expect([await ask(), await ask()]).toEqual([
        [200, undefined],
        [200, 1],
      ])
      expect(answered).toEqual(['GET /slots', 'GET /health', 'GET /slots'])
    })
  })

  it('says that it loads', async () => {
    await watched('A', { loading: true }, {}, async (ask, server) => {
      expect(await ask()).toEqual([503, undefined])
      server.becomeReady()
      expect(await ask()).toEqual([200, 0])
    })
  })

  it('too busy to show its slots is healthy, and is not asked for them again meanwhile', async () => {
    await watched('A', { slots: 'silent' }, {}, async (ask, { answered }) => {
      expect([await ask(), await ask()]).toEqual([
        [200, undefined],
        [200, undefined],
      ])
      expect(answered).toEqual(['GET /slots', 'GET /health', 'GET /health'])
    })
  })
})

describe('a Kind B that is watched', () => {
  it('takes one connection of the six while it loads', async () => {
    await watched('B', { loading: true, busy: 2 }, {}, async (ask, server) => {
      expect([await ask(), await ask(), await ask()]).toEqual([
        [0, undefined],
        [0, undefined],
        [0, undefined],
      ])
      expect(server.mostWhileLoading()).toBe(1)
      server.becomeReady()
      expect(await ask()).toEqual([200, 2])
    })
  })

  it('is asked with the key that it was started with', async () => {
    const question = { key: new Secret('new-key', 'a test'), otherKeys: async () => [key] }
    await watched('B', { busy: 1 }, question, async (ask) => {
      await ask()
      expect(await ask()).toEqual([200, 1])
    })
  })
})

it('a server that does not run is no error', async () => {
  const server = await startKindA()
  const { port } = server
  await server[Symbol.asyncDispose]()
  await using transport = await shTransport()
  const live = createLiveServer(transport, { port, kind: 'A', key, otherKeys: noKeys, onlyHealth: false })
  expect((await live.ask()).http).toMatchObject({ known: false, because: 'not-gathered' })
})
