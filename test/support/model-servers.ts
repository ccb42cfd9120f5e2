import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'

/** A server on a port of this machine that behaves as a real program was seen to behave. */
export interface ModelServer extends AsyncDisposable {
  readonly port: number
  /** `GET /health`, … in the order in which they were answered. */
  readonly answered: readonly string[]
  /** The most connections that were open at once while it was loading. */
  readonly mostWhileLoading: () => number
  becomeReady(): void
}

export interface Behaviour {
  readonly alias?: string
  readonly key?: string
  /** Default: ready at once. */
  readonly loading?: boolean
  /** What chat completions answer, and after how long. */
  readonly chat?: { readonly status?: number; readonly body?: unknown; readonly delayMs?: number; readonly firstFull?: number }
  /** Kind A: what it answers on these paths instead. */
  readonly answers?: Readonly<Record<string, { readonly status?: number; readonly body: unknown }>>
  /** It takes any key. */
  readonly unprotected?: boolean
  readonly busy?: number
  /** Kind A: whether it shows its slots; default: it does. */
  readonly slots?: 'off' | 'silent'
}

interface State {
  ready: boolean
  chats: number
  readonly answered: string[]
}

type Route = (request: IncomingMessage, response: ServerResponse, state: State) => void

/** Kind A: while it loads it answers 503 to everything; health and the model list are public, the rest wants the key. */
export function startKindA(behaviour: Behaviour = {}): Promise<ModelServer> {
  const route: Route = (request, response, state) => {
    const path = request.url ?? ''
    if (!state.ready) return send(response, 503, { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } })
    if (path === '/health') return send(response, 200, { status: 'ok' })
    if (path === '/v1/models')
      return send(response, 200, { object: 'list', data: [{ id: behaviour.alias ?? 'coder', aliases: ['second'] }] })
    if (!hasKey(request, behaviour))
      return send(response, 401, { error: { message: 'Invalid API Key', type: 'authentication_error', code: 401 } })
    if (path === '/props')
      return send(response, 200, {
        default_generation_settings: { n_ctx: 4096 },
        model_path: '/models/x.gguf',
        model_alias: 'coder',
        build_info: 'b1-abc',
      })
    if (path === '/slots' && behaviour.slots === 'silent') return
    if (path === '/slots' && behaviour.slots === 'off') return send(response, 501, { error: { code: 501 } })
    if (path === '/slots')
      return send(response, 200, [
        { id: 0, is_processing: (behaviour.busy ?? 0) > 0 },
        { id: 1, is_processing: false },
      ])
    const given = behaviour.answers?.[path]
    if (given !== undefined) return send(response, given.status ?? 200, given.body)
    if (path === '/v1/chat/completions') return chat(response, state, behaviour)
    return send(response, 404, { error: { message: 'File Not Found', type: 'not_found_error', code: 404 } })
  }
  return start(behaviour, route, false)
}

/** Kind B: while it loads it takes connections and reads nothing; health is public, the model list is not, the Host is guarded. */
export function startKindB(behaviour: Behaviour = {}): Promise<ModelServer> {
  const route: Route = (request, response, state) => {
    const path = request.url ?? ''
    const host = (request.headers.host ?? '').split(':')[0] ?? ''
    if (!['127.0.0.1', 'localhost', ''].includes(host)) return send(response, 403, { error: { code: 'forbidden' } })
    if (path === '/health')
      return send(response, 200, hasKey(request, behaviour) ? longHealth(state, behaviour) : { status: 'ok' })
    if (!hasKey(request, behaviour))
      return send(response, 401, { error: { message: 'Invalid or missing API key.', code: 'invalid_api_key' } })
    if (path === '/v1/models')
      return send(response, 200, { object: 'list', data: [{ id: behaviour.alias ?? 'flagship', owned_by: 'b' }] })
    if (path === '/v1/chat/completions') return chat(response, state, behaviour)
    return send(response, 404, { error: { message: 'Not found.', code: 'not_found' } })
  }
  return start(behaviour, route, true)
}

function longHealth(state: State, { busy = 0 }: Behaviour) {
  return { status: 'ok', scheduler: { active: busy, queued: 0, capacity: 1, completed: state.chats }, kv_slots: 1 }
}

function hasKey(request: IncomingMessage, { key, unprotected = false }: Behaviour): boolean {
  return key === undefined || unprotected || request.headers.authorization === `Bearer ${key}`
}

function chat(response: ServerResponse, state: State, { chat: how = {} }: Behaviour): void {
  state.chats += 1
  if (state.chats <= (how.firstFull ?? 0)) {
    response.setHeader('retry-after', '1')
    return send(response, 429, { error: { message: 'The inference queue is full.', code: 'queue_full' } })
  }
  const message = { role: 'assistant', content: '' }
  const body = how.body ?? { choices: [{ index: 0, message }], usage: { prompt_tokens: 5, completion_tokens: 1 } }
  setTimeout(() => send(response, how.status ?? 200, body), how.delayMs ?? 0)
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

async function start(behaviour: Behaviour, route: Route, silent: boolean): Promise<ModelServer> {
  const state: State = { ready: behaviour.loading !== true, chats: 0, answered: [] }
  const http = createHttpServer((request, response) => {
    state.answered.push(`${request.method} ${request.url}`)
    request.resume()
    route(request, response, state)
  })
  const parked: Socket[] = []
  const open = new Set<Socket>()
  let most = 0
  const listener = createServer((socket) => {
    open.add(socket)
    if (!state.ready) most = Math.max(most, open.size)
    socket.on('close', () => open.delete(socket)).on('error', () => undefined)
    if (silent && !state.ready) parked.push(socket)
    else http.emit('connection', socket)
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    answered: state.answered,
    mostWhileLoading: () => most,
    becomeReady: () => {
      state.ready = true
      for (const socket of parked.splice(0)) if (!socket.destroyed) http.emit('connection', socket)
    },
    [Symbol.asyncDispose]: async () => end(listener, http, open),
  }
}

async function end(listener: ReturnType<typeof createServer>, http: Server, open: ReadonlySet<Socket>): Promise<void> {
  for (const socket of open) socket.destroy()
  http.closeAllConnections()
  listener.close()
  await once(listener, 'close')
}
