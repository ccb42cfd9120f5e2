import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Arguments } from './arguments.ts'
import type { EngineProcess } from './engine-process.ts'
import { Slots } from './slots.ts'

class Refusal extends Error {
  readonly status: number
  readonly body: object

  constructor(status: number, message: string, type: string, code: string, param: string | null = null) {
    super(message)
    this.status = status
    this.body = { error: { message, type, param, code } }
  }
}

const invalid = 'invalid_request_error'

/** The HTTP API of a Kind B once it has loaded. It checks a request's Host, key, body, model and path, in this order. */
export class Api {
  readonly #given: Arguments
  readonly #id: string
  readonly #engine: EngineProcess
  readonly #slots: Slots
  readonly #hosts: ReadonlySet<string>
  readonly #started = Math.floor(Date.now() / 1000)

  constructor(given: Arguments, id: string, engine: EngineProcess) {
    this.#given = given
    this.#id = id
    this.#engine = engine
    this.#slots = new Slots(given.slots, given.maxQueue)
    this.#hosts = new Set(
      ['127.0.0.1', 'localhost', '::1', '', given.host, ...given.allowedHosts].map((name) => name.toLowerCase()),
    )
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    let status = 500
    try {
      this.#checkHost(request)
      const answer = request.method === 'POST' ? await this.#post(path, request) : this.#get(path, request)
      status = send(response, 200, answer)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      status = send(response, error.status, error.body)
    }
    process.stderr.write(`[api] 127.0.0.1 - "${request.method} ${path} HTTP/1.1" ${status} -\n`)
  }

  #get(path: string, request: IncomingMessage): object {
    const mayKnow = this.#authorized(request)
    if (path === '/health')
      return mayKnow ? { status: 'ok', scheduler: this.#slots.counts(), kv_slots: this.#given.slots } : { status: 'ok' }
    if (!mayKnow) throw unauthorized()
    const model = { id: this.#id, object: 'model', created: this.#started, owned_by: 'colibri' }
    if (path === '/v1/models') return { object: 'list', data: [model] }
    if (path === `/v1/models/${this.#id}`) return model
    throw new Refusal(404, 'Not found.', invalid, 'not_found')
  }

  async #post(path: string, request: IncomingMessage): Promise<object> {
    if (!this.#authorized(request)) throw unauthorized()
    const body = parsed(await text(request))
    const { model } = body
    if (model !== this.#id)
      throw new Refusal(
        404,
        `The model \`${typeof model === 'string' ? model : 'None'}\` does not exist.`,
        invalid,
        'model_not_found',
        'model',
      )
    if (path !== '/v1/chat/completions') throw new Refusal(404, 'Not found.', invalid, 'not_found')
    const { messages, max_tokens: tokens = 16_384 } = body
    if (!Array.isArray(messages) || messages.length === 0)
      throw new Refusal(400, 'messages must be a non-empty list.', invalid, 'invalid_value', 'messages')
    if (typeof tokens !== 'number' || !Number.isInteger(tokens) || tokens < 1)
      throw new Refusal(400, 'max_tokens must be a positive integer.', invalid, 'invalid_value', 'max_tokens')
    return this.#complete(JSON.stringify(messages), tokens)
  }

  async #complete(prompt: string, tokens: number): Promise<object> {
    if (!(await this.#slots.admit())) throw new Refusal(429, 'The inference queue is full.', 'rate_limit_error', 'queue_full')
    const generated = await this.#engine.generate(prompt, tokens)
    this.#slots.release(generated !== undefined)
    if (generated === undefined) {
      process.stderr.write('request failed: colibri engine dispatcher stopped\n')
      throw new Refusal(500, 'The colibri engine failed to process the request.', 'server_error', 'engine_error')
    }
    const { read, made } = generated
    const message = { role: 'assistant', content: '.'.repeat(made), refusal: null }
    return {
      id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: this.#id,
      choices: [{ index: 0, message, logprobs: null, finish_reason: made < tokens ? 'stop' : 'length' }],
      usage: { prompt_tokens: read, completion_tokens: made, total_tokens: read + made },
    }
  }

  #checkHost({ headers: { host = '' } }: IncomingMessage): void {
    const bare = /^\[(.*)\]/.exec(host)?.[1] ?? host.replace(/^([^:]*):[^:]*$/, '$1')
    if (this.#hosts.has(bare.toLowerCase()) || this.#hosts.has('*')) return
    const advice = `Add it with --allowed-host ${bare} (or SRV_ALLOWED_HOSTS), or --allowed-host '*' to accept any host when the bind is already public.`
    throw new Refusal(403, `Host header '${bare}' not allowed. ${advice}`, invalid, 'forbidden')
  }

  #authorized({ headers }: IncomingMessage): boolean {
    const { key } = this.#given
    if (key === '') return true
    const { authorization = '' } = headers
    return authorization === `Bearer ${key}` || (!authorization.startsWith('Bearer ') && headers['x-api-key'] === key)
  }
}

function unauthorized(): Refusal {
  return new Refusal(401, 'Invalid or missing API key.', 'authentication_error', 'invalid_api_key')
}

function parsed(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    throw new Refusal(400, 'The body is not valid JSON.', invalid, 'invalid_body')
  }
  throw new Refusal(400, 'The body must be a JSON object.', invalid, 'invalid_body')
}

function send(response: ServerResponse, status: number, body: object): number {
  const retry = status === 429 ? { 'retry-after': '1' } : {}
  const headers = { 'content-type': 'application/json', 'x-request-id': randomUUID().replaceAll('-', ''), ...retry }
  response.writeHead(status, headers).end(JSON.stringify(body))
  return status
}
