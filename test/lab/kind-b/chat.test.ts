import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { chat, ID, KEY, keyed } from './in-tests.ts'
import { type Answer, type Double, until } from './start-double.ts'

const post = (to: Double): Promise<Answer> => to.ask('/v1/chat/completions', { headers: KEY, body: chat() })
const shows = (double: Double, state: string) =>
  until(async () => (await double.ask('/health', { headers: KEY })).body.includes(state))

describe('chat', () => {
  it('answers, counts it, and remembers the turn in the model directory', async () => {
    await using double = await keyed()
    const answer = await double.ask('/v1/chat/completions', { headers: KEY, body: chat() })
    expect(JSON.parse(answer.body)).toMatchObject({
      object: 'chat.completion',
      model: ID,
      choices: [{ message: { role: 'assistant', content: '.', refusal: null }, finish_reason: 'length' }],
      usage: { completion_tokens: 1 },
    })
    expect(answer.headers).toHaveProperty('x-colibri-queue-wait-ms')
    // It counts an answer after it has sent it.
    await shows(double, '"completed":1')
    expect(await readdir(double.model)).toEqual(expect.arrayContaining(['.srv_kv', '.srv_usage']))
  })

  it('is slow once: cold, then warm', async () => {
    await using double = await keyed({ KINDB_FIRST_SECONDS: '3' })
    const timed = async (): Promise<number> => {
      const started = performance.now()
      await double.ask('/v1/chat/completions', { headers: KEY, body: chat() })
      return performance.now() - started
    }
    const cold = await timed()
    expect(cold).toBeGreaterThan(2980)
    expect(await timed()).toBeLessThan(cold - 500)
  })

  it('has one slot and a queue: full and waited-too-long are 429', async () => {
    const busy = { KINDB_TOKEN_SECONDS: '60', SRV_MAX_QUEUE: '1' }
    await using double = await keyed(busy)
    for (const state of ['"active":1', '"queued":1']) {
      // Cut off when the double ends.
      post(double).catch(() => undefined)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await shows(double, state)
    }
    const full = await post(double)
    expect(full).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    expect(full.body).toContain('"code":"queue_full"')

    await using hasty = await keyed({ ...busy, SRV_QUEUE_TIMEOUT: '0.3' })
    post(hasty).catch(() => undefined)
    await shows(hasty, '"active":1')
    expect((await post(hasty)).body).toContain('"code":"queue_timeout"')
  })

  it('counts a client that left, and is free again', async () => {
    await using double = await keyed({ KINDB_TOKEN_SECONDS: '60' })
    const leave = new AbortController()
    const leaving = double.ask('/v1/chat/completions', { headers: KEY, body: chat(), signal: leave.signal }).catch(String)
    await shows(double, '"active":1')
    leave.abort()
    expect(await leaving).toContain('aborted')
    await until(async () => /"active":0.*"cancelled":1/.test((await double.ask('/health', { headers: KEY })).body))
  })

  it('streams, and reports a conversation that is longer than the context', async () => {
    await using double = await keyed({}, ['--ctx', '512'])
    const streamed = await double.ask('/v1/chat/completions', { headers: KEY, body: chat({ stream: true }) })
    expect(streamed.headers['content-type']).toBe('text/event-stream')
    expect(streamed.body).toMatch(
      /"delta":\{"role":"assistant"\}.*"delta":\{"content":"\."\}.*"finish_reason":"length".*data: \[DONE\]\n\n$/s,
    )
    const body = chat({ messages: [{ role: 'user', content: 'x'.repeat(4000) }] })
    const answer = await double.ask('/v1/chat/completions', { headers: KEY, body })
    expect(answer.status).toBe(400)
    expect(answer.body).toContain('maximum context length is 510 tokens')
    expect(answer.body).toContain('"code":"context_length_exceeded"')
  })

  it.each(['0', 'abc'])('is healthy and useless with CTX=%s', async (CTX) => {
    await using double = await keyed({ CTX })
    expect((await double.ask('/health')).status).toBe(200)
    expect((await double.ask('/v1/chat/completions', { headers: KEY, body: chat() })).status).toBe(500)
  })

  it('writes nothing if writing is disabled', async () => {
    await using double = await keyed({ KVSAVE: '0', USAGE_SAVE: '0' })
    await double.ask('/v1/chat/completions', { headers: KEY, body: chat() })
    expect((await readdir(double.model)).filter((name) => name.startsWith('.srv'))).toEqual([])
  })
})
