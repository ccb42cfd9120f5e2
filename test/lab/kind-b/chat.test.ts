import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { chat, ID, KEY, keyed } from './in-tests.ts'
import { type Answer, until } from './start-double.ts'

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
    expect(JSON.parse((await double.ask('/health', { headers: KEY })).body)).toMatchObject({ scheduler: { completed: 1 } })
    expect(await readdir(double.model)).toEqual(expect.arrayContaining(['.srv_kv', '.srv_usage']))
  })

  it('streams', async () => {
    await using double = await keyed()
    const { body, headers } = await double.ask('/v1/chat/completions', { headers: KEY, body: chat({ stream: true }) })
    expect(headers['content-type']).toBe('text/event-stream')
    expect(body).toMatch(
      /"delta":\{"role":"assistant"\}.*"delta":\{"content":"\."\}.*"finish_reason":"length".*data: \[DONE\]\n\n$/s,
    )
  })

  it('is slow once: cold, then warm', async () => {
    await using double = await keyed({ KINDB_FIRST_SECONDS: '3' })
    const timed = async (): Promise<number> => {
      const started = performance.now()
      await double.ask('/v1/chat/completions', { headers: KEY, body: chat() })
      return performance.now() - started
    }
    expect(await timed()).toBeGreaterThan(2980)
    expect(await timed()).toBeLessThan(2500)
  })

  it('has one slot and a queue: full and waited-too-long are 429', async () => {
    await using double = await keyed({ KINDB_TOKEN_SECONDS: '1', SRV_MAX_QUEUE: '1', SRV_QUEUE_TIMEOUT: '0.3' })
    const post = (): Promise<Answer> => double.ask('/v1/chat/completions', { headers: KEY, body: chat({ max_tokens: 2 }) })
    const scheduler = async (): Promise<string> => (await double.ask('/health', { headers: KEY })).body
    const running = post()
    await until(async () => (await scheduler()).includes('"active":1'))
    const queued = post()
    await until(async () => (await scheduler()).includes('"queued":1'))
    const full = await post()
    expect(full).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    expect(full.body).toContain('"code":"queue_full"')
    expect((await queued).body).toContain('"code":"queue_timeout"')
    expect((await running).status).toBe(200)
  })

  it('counts a client that left, and is free again', async () => {
    await using double = await keyed({ KINDB_TOKEN_SECONDS: '5' })
    const leaving = double.ask('/v1/chat/completions', { headers: KEY, body: chat(), signal: AbortSignal.timeout(300) })
    await expect(leaving).rejects.toThrow('aborted')
    await until(async () => /"active":0.*"cancelled":1/.test((await double.ask('/health', { headers: KEY })).body))
  })

  it('reports a conversation that is longer than the context', async () => {
    await using double = await keyed({}, ['--ctx', '512'])
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
