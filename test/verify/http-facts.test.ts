import { describe, expect, it } from 'vitest'
import { known } from '../../src/model/observed.ts'
import { Secret } from '../../src/model/secret.ts'
import { httpFacts } from '../../src/verify/http-facts.ts'
import { startKindA, startKindB } from '../support/model-servers.ts'
import { shTransport } from '../support/sh-transport.ts'

const key = new Secret('right-key', 'a test')
const wrong = new Secret('other-key', 'a test')
const unknownWith = (because: string) => expect.objectContaining({ known: false, because })

async function ask(
  kind: 'A' | 'B',
  port: number,
  asked: { key?: Secret; keyless?: boolean; timeoutMs?: number; signal?: AbortSignal } = {},
) {
  await using transport = await shTransport()
  return await httpFacts(transport, { service: 'coder', port, kind, timeoutMs: 20_000, ...asked })
}

describe('what a Kind A server says about itself', () => {
  it('when it works', async () => {
    await using server = await startKindA({ key: 'right-key', busy: 1 })
    expect(await ask('A', server.port, { key })).toEqual(
      known({
        health: { status: 200, ms: expect.any(Number) },
        models: known(['coder', 'second']),
        props: known({ nCtx: 4096, modelPath: '/models/x.gguf', alias: 'coder', build: 'b1-abc' }),
        busy: known(1),
        completed: unknownWith('not-gathered'),
        keyAccepted: known(true),
      }),
    )
  })

  it('when our key is not its key', async () => {
    await using server = await startKindA({ key: 'right-key' })
    expect(await ask('A', server.port, { key: wrong })).toMatchObject({
      value: { models: known(['coder', 'second']), props: unknownWith('not-permitted'), keyAccepted: known(false) },
    })
  })

  it.each([
    ['A', startKindA],
    ['B', startKindB],
  ] as const)('Kind %s with a key, where none is configured, and where it could not be had', async (kind, start) => {
    await using server = await start({ key: 'right-key' })
    expect(await ask(kind, server.port, { keyless: true })).toMatchObject({ value: { keyAccepted: known(false) } })
    expect(await ask(kind, server.port)).toMatchObject({ value: { keyAccepted: unknownWith('not-gathered') } })
    await using open = await start()
    expect(await ask(kind, open.port, { keyless: true })).toMatchObject({ value: { keyAccepted: unknownWith('not-gathered') } })
  })

  it('while it loads: nothing about keys, and no further question', async () => {
    await using server = await startKindA({ key: 'right-key', loading: true })
    expect(await ask('A', server.port, { key: wrong })).toMatchObject({
      value: { health: { status: 503 }, models: unknownWith('timed-out'), keyAccepted: unknownWith('timed-out') },
    })
    expect(server.answered).toEqual(['GET /health'])
  })

  it('when nothing listens', async () => {
    const server = await startKindA()
    await server[Symbol.asyncDispose]()
    expect(await ask('A', server.port)).toEqual(unknownWith('unreadable'))
  })
})

describe('what a Kind B server says about itself', () => {
  it('when it is warm and busy', async () => {
    await using server = await startKindB({ key: 'right-key', busy: 1 })
    expect(await ask('B', server.port, { key })).toMatchObject({
      value: {
        health: { status: 200 },
        models: known(['flagship']),
        busy: known(1),
        completed: known(0),
        keyAccepted: known(true),
      },
    })
  })

  it('to a client with the wrong key', async () => {
    await using server = await startKindB({ key: 'right-key' })
    expect(await ask('B', server.port, { key: wrong })).toMatchObject({
      value: {
        health: { status: 200 },
        models: unknownWith('not-permitted'),
        busy: unknownWith('not-permitted'),
        keyAccepted: known(false),
      },
    })
  })

  it('while it loads: it takes the connection and is silent; only one connection is spent on it', async () => {
    await using server = await startKindB({ key: 'right-key', loading: true })
    expect(await ask('B', server.port, { key, timeoutMs: 200 })).toMatchObject({
      value: { health: { status: 0 }, models: unknownWith('timed-out'), keyAccepted: unknownWith('timed-out') },
    })
    expect(server.mostWhileLoading()).toBe(1)
  })

  it('when the run is interrupted meanwhile: nothing, not even that it loads', async () => {
    await using server = await startKindB({ loading: true })
    expect(await ask('B', server.port, { timeoutMs: 5000, signal: AbortSignal.timeout(50) })).toEqual(unknownWith('not-gathered'))
  })
})

it('a connection to the host that breaks is an error, not a fact', async () => {
  await using transport = await shTransport()
  transport.cut()
  await expect(httpFacts(transport, { service: 'coder', port: 1, kind: 'A', timeoutMs: 500 })).rejects.toMatchObject({
    code: 'CONNECT.LOST',
  })
})
