import { describe, expect, test } from 'vitest'
import { type PostLimits, post } from '../../src/delivery/post.ts'
import { webhookAddress } from '../../src/delivery/webhook-url.ts'
import { Secret } from '../../src/model/secret.ts'
import type { Clock } from '../../src/time/clock.ts'
import { type Answer, startReceiver } from '../support/receiver.ts'

const limits: PostLimits = { tryMs: 400, tries: 3, pauseMs: 1000, patienceMs: 5000 }

/** Jumps, and remembers over how much. */
function jumping(): Clock & { readonly slept: number[] } {
  const slept: number[] = []
  return { slept, now: () => 0, sleep: async (ms) => void slept.push(ms) }
}

function addressOf(url: string) {
  const address = webhookAddress(new Secret(url, 'test'), { insecure: false })
  if (typeof address === 'string') throw new Error(address)
  return address
}

async function send(url: string, signal = new AbortController().signal) {
  const clock = jumping()
  const request = { address: addressOf(url), headers: { 'content-type': 'text/plain' }, body: 'a message' }
  return { delivered: await post(request, { clock, signal }, limits), slept: clock.slept }
}

interface PostCase {
  readonly name: string
  readonly answers: readonly Answer[]
  readonly ok: boolean
  readonly detail: string
  readonly tries: number
  readonly slept?: readonly number[]
}

const cases: readonly PostCase[] = [
  { name: 'is taken', answers: [{ status: 204 }], ok: true, detail: 'answered 204', tries: 1 },
  {
    name: 'is taken at last',
    answers: [{ status: 500 }, { status: 200 }],
    ok: true,
    detail: 'answered 200, at the second try',
    tries: 2,
    slept: [1000],
  },
  {
    name: 'is never taken',
    answers: [{ status: 503 }],
    ok: false,
    detail: 'it answered 503 (3 tries)',
    tries: 3,
    slept: [1000, 2000],
  },
  {
    name: 'waits as long as it is asked to',
    answers: [{ status: 429, headers: { 'retry-after': '4' } }, { status: 200 }],
    ok: true,
    detail: 'answered 200, at the second try',
    tries: 2,
    slept: [4000],
  },
  {
    name: 'does not wait for ever',
    answers: [{ status: 429, headers: { 'retry-after': '3600' } }],
    ok: false,
    detail: 'it answered 429 and asks to wait 3600 s',
    tries: 1,
  },
  {
    name: 'does not follow anywhere',
    answers: [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }],
    ok: false,
    detail: 'it answered 302; redirects are not followed',
    tries: 1,
  },
  { name: 'is not wanted', answers: [{ status: 404 }], ok: false, detail: 'it answered 404', tries: 1 },
  { name: 'hangs, and may have arrived', answers: ['hang'], ok: false, detail: 'there was no answer within 0.4 s', tries: 1 },
]

describe('a message that', () => {
  test.each(cases)('$name', async ({ answers, ok, detail, tries, slept = [] }) => {
    await using hook = await startReceiver()
    hook.answer(...answers)
    expect(await send(hook.url)).toEqual({ delivered: { ok, detail }, slept })
    expect(hook.received).toHaveLength(tries)
    for (const { body, path } of hook.received) expect([body, path]).toEqual(['a message', '/T0KEN-never-to-be-seen'])
  })

  test('finds no server is tried three times, and its error names no address', async () => {
    const hook = await startReceiver()
    await hook[Symbol.asyncDispose]()
    expect(await send(hook.url)).toEqual({
      delivered: { ok: false, detail: 'nothing listens at its address (3 tries)' },
      slept: [1000, 2000],
    })
  })

  test('is interrupted ends at once', async () => {
    await using hook = await startReceiver()
    hook.answer('hang')
    const { delivered } = await send(hook.url, AbortSignal.timeout(50))
    expect(delivered).toEqual({ ok: false, detail: 'it was interrupted' })
  })

  test('has a name and a password in its URL sends them as a header', async () => {
    await using hook = await startReceiver('/topic?a=b')
    await send(hook.url.replace('//', '//anna:s%40fe@'))
    expect(hook.received[0]).toMatchObject({ path: '/topic?a=b', headers: { authorization: `Basic ${btoa('anna:s@fe')}` } })
  })
})

describe('an address', () => {
  test.each([
    ['https://hooks.example.org/T0KEN', true],
    ['http://localhost:8080/T0KEN', true],
    ['http://[::1]/T0KEN', true],
    ['http://hooks.example.org/T0KEN', false],
    ['http://127.0.0.1.example.org/T0KEN', false],
    ['https://us%zr:T0KEN@hooks.example.org/', false],
    ['https://us%40er:T0KEN@hooks.example.org/', true],
    ['file:///T0KEN', false],
    ['T0KEN', false],
  ])('%s is taken: %s', (url, taken) => {
    const answer = webhookAddress(new Secret(url, 'environment variable HOOK'), { insecure: false })
    expect(typeof answer === 'object').toBe(taken)
    expect(typeof answer === 'string' ? answer : '').not.toMatch(/T0KEN|example/)
  })

  test('over http elsewhere is taken where that is meant', () => {
    expect(webhookAddress(new Secret('http://hub.lan/x', ''), { insecure: true })).toEqual({
      origin: 'http://hub.lan',
      path: '/x',
    })
  })
})
