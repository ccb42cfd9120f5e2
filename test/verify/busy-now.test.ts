import { describe, expect, it } from 'vitest'
import { Secret } from '../../src/model/secret.ts'
import { busyNow } from '../../src/verify/busy-now.ts'
import { type Behaviour, startKindA, startKindB } from '../support/model-servers.ts'
import { shTransport } from '../support/sh-transport.ts'

const key = new Secret('right-key', 'a test')

async function ask(kind: 'A' | 'B', behaviour: Behaviour, question: { key?: Secret; timeoutMs?: number } = { key }) {
  await using server = await (kind === 'A' ? startKindA : startKindB)({ key: 'right-key', ...behaviour })
  await using transport = await shTransport()
  return await busyNow(transport, { kind, port: server.port, timeoutMs: 20_000, ...question })
}

describe('the requests of a Kind A', () => {
  it.each<[string, Behaviour, object]>([
    ['are counted', { busy: 1 }, { kind: 'busy', requests: 1 }],
    ['are none', {}, { kind: 'idle' }],
    ['leave it no time to say how many', { slots: 'silent' }, { kind: 'busy' }],
    ['are not reported by every build', { slots: 'off' }, { kind: 'unreported' }],
    ['cannot be there while it loads', { loading: true }, { kind: 'unreported' }],
  ])('%s', async (_, behaviour, expected) => {
    expect(await ask('A', behaviour, { key, timeoutMs: 3000 })).toEqual(expected)
  })

  it('are not reported without its key', async () => {
    expect(await ask('A', { busy: 1 }, {})).toEqual({ kind: 'unreported' })
  })
})

describe('the requests of a Kind B', () => {
  it.each<[string, Behaviour, object]>([
    ['are counted', { busy: 2 }, { kind: 'busy', requests: 2 }],
    ['are none', {}, { kind: 'idle' }],
    ['are unknown while it loads and does not answer', { loading: true }, { kind: 'silent' }],
  ])('%s', async (_, behaviour, expected) => {
    expect(await ask('B', behaviour, { key, timeoutMs: 3000 })).toEqual(expected)
  })

  it('are reported only to clients with its key', async () => {
    expect(await ask('B', { busy: 1 }, {})).toEqual({ kind: 'unreported' })
  })
})

it('of a server that does not run are none to wait for', async () => {
  await using transport = await shTransport()
  const server = await startKindA()
  await server[Symbol.asyncDispose]()
  expect(await busyNow(transport, { kind: 'A', port: server.port, timeoutMs: 500 })).toEqual({ kind: 'unreported' })
})
