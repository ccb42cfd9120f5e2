import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ID, KEY, keyed } from './in-tests.ts'
import { type Answer, type Double, until } from './start-double.ts'

describe('HTTP', () => {
  /** No request changes what the next one gets. */
  let double: Double
  beforeAll(async () => {
    double = await keyed({ SRV_ALLOWED_HOSTS: 'known.lan,ported.lan:1' })
  })
  afterAll(() => double?.[Symbol.asyncDispose]())

  it('shows /health to all, and the long form with the key', async () => {
    expect((await double.ask('/health')).body).toBe('{"status":"ok"}')
    expect((await double.ask('/health', { headers: { Authorization: 'Bearer wrong' } })).status).toBe(200)
    const long: unknown = JSON.parse((await double.ask('/health', { headers: KEY })).body)
    expect(long).toMatchObject({ status: 'ok', kv_slots: 1, scheduler: { active: 0, queued: 0, capacity: 1, max_queue: 8 } })
  })

  it.each(['Bearer wrong', 'bearer secret', ''])('answers 401 to the authorization %j', async (Authorization) => {
    const answer = await double.ask('/v1/models', { headers: { Authorization } })
    expect(answer).toMatchObject({
      status: 401,
      body: '{"error":{"message":"Invalid or missing API key.","type":"authentication_error","param":null,"code":"invalid_api_key"}}',
    })
  })

  it('lists one model, by the id it was given', async () => {
    await using named = await keyed({}, ['--model-id', 'flagship'])
    const answer = await named.ask('/v1/models', { headers: { 'x-api-key': 'secret' } })
    expect(JSON.parse(answer.body)).toMatchObject({
      object: 'list',
      data: [{ id: 'flagship', object: 'model', owned_by: 'colibri' }],
    })
    expect((await named.ask('/v1/models/other', { headers: KEY })).status).toBe(404)
  })

  it('needs no key where none or an empty one is configured', async () => {
    await using open = await keyed({ SRV_API_KEY: '' })
    expect((await open.ask('/v1/models')).status).toBe(200)
  })

  it('drops every request where the configured key is not ASCII', async () => {
    await using closed = await keyed({ SRV_API_KEY: 'gehéim' })
    await expect(closed.ask('/health')).rejects.toThrow('socket hang up')
  })

  it.each([
    ['localhost:1', 200],
    ['[::1]:1', 200],
    ['nas.lan', 403],
    ['127.0.0.2', 403],
    ['known.lan:9', 200],
    ['sub.known.lan', 403],
    ['ported.lan', 403],
  ])('judges the Host %s: %i', async (Host, status) => {
    const answer = await double.ask('/health', { headers: { ...KEY, Host } })
    expect(answer.status).toBe(status)
    const advice = `Host header '${Host}' not allowed. Add it with --allowed-host ${Host} (or SRV_ALLOWED_HOSTS)`
    expect(answer.body.includes(advice)).toBe(status === 403)
  })

  it('judges a request in a fixed order: key, body, model, path, parameters', async () => {
    const post = (path: string, body: unknown, headers = KEY): Promise<Answer> => double.ask(path, { body, headers })
    expect((await post('/v1/other', 'no json', { Authorization: '' })).status).toBe(401)
    expect((await post('/v1/other', 'no json')).status).toBe(400)
    expect(await post('/v1/other', { model: 'other' })).toMatchObject({
      status: 404,
      body: '{"error":{"message":"The model `other` does not exist.","type":"invalid_request_error","param":"model","code":"model_not_found"}}',
    })
    expect((await post('/v1/other', {})).body).toContain('The model `None` does not exist.')
    expect((await post('/v1/other', { model: ID })).body).toContain('"code":"not_found"')
    expect((await post('/v1/chat/completions', { model: ID })).status).toBe(400)
    expect((await double.ask('/health', { method: 'HEAD' })).status).toBe(501)
  })

  it('closes the ninth connection of an address without an answer', async () => {
    // Of others, one may still be about to close.
    await using unused = await keyed()
    let closed = 0
    const sockets = Array.from({ length: 9 }, () =>
      connect(unused.port, '127.0.0.1')
        .once('close', () => closed++)
        .resume(),
    )
    await until(() => closed > 0)
    expect(closed).toBe(1)
    expect(unused.stderr()).toContain('refused: per-address cap 8')
    for (const socket of sockets) socket.destroy()
  })
})
