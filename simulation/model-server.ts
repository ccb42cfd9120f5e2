import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { flushCompileCache } from 'node:module'
import { endWithSupervisor } from './lifeline.ts'

/**
 * A Kind A server that has no model: `model-server.ts PROGRAM FLAGS…`. As the real one was observed, it binds its port at once, answers
 * 503 on every path while it loads, lets `/health` and `/v1/models` be read without a key and nothing else, ends with 0 on SIGTERM
 * once it is loaded, by the signal before, and with 1 when it cannot start. `PROGRAM.knobs.json` makes it misbehave.
 */
const [program = '', ...flags] = process.argv.slice(2)
// An import would also load what Node has for WebSockets, which takes as long as all the rest of a start.
const { createServer } = process.getBuiltinModule('node:http')
endWithSupervisor()

interface Knobs {
  readonly loadMs?: number
  /** Ends with this after loading. */
  readonly crash?: number
  /** Takes requests and answers none. */
  readonly hang?: boolean
  readonly answerMs?: number
  /** Works on a completion until this file is there. */
  readonly answerOnce?: string
  /** Never gets ready with these words among its flags: `--ctx-size 4321`. */
  readonly neverWith?: string
}

const knobsFile = `${program}.knobs.json`
const knobs: Knobs = existsSync(knobsFile) ? JSON.parse(readFileSync(knobsFile, 'utf8')) : {}
const model = valueOf('MODEL', '--model', '-m') ?? ''
const givenAlias = valueOf('ALIAS', '--alias', '-a')
const alias = givenAlias ?? model
const context = valueOf('CTX_SIZE', '--ctx-size', '-c')
const address = valueOf('HOST', '--host') ?? '127.0.0.1'
const key = keyOf()
/** On a simulated Linux box: the folder that is its root, which it does not know of. */
const simulatedRoot = process.env['SIMULATED_ROOT'] ?? ''
let loaded = false
let atWork = 0
/** The last completion, and when it began. */
let task = -1
let workSince = 0
/** For each millisecond. */
const tokenRate = 0.04

/** A flag overrides its variable. */
function valueOf(variable: string, ...names: readonly string[]): string | undefined {
  const at = flags.findLastIndex((word) => names.includes(word))
  return at < 0 ? process.env[`LLAMA_ARG_${variable}`] : flags[at + 1]
}

function keyOf(): string | undefined {
  const file = valueOf('API_KEY_FILE', '--api-key-file')
  if (file !== undefined) return readFileSync(file, 'utf8').trim()
  return valueOf('', '--api-key') ?? process.env['LLAMA_API_KEY']
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function refused(response: ServerResponse, code: number, message: string, type: string): void {
  answer(response, code, { error: { code, message, type } })
}

function props(): object {
  return {
    model_path: model.replace(simulatedRoot, ''),
    total_slots: 1,
    ...(givenAlias === undefined ? {} : { model_alias: givenAlias }),
    ...(context === undefined ? {} : { default_generation_settings: { n_ctx: Number(context) } }),
  }
}

function slot(): object {
  const decoded = atWork > 0 ? Math.floor((Date.now() - workSince) * tokenRate) : 0
  return { id: 0, id_task: task, is_processing: atWork > 0, next_token: [{ n_decoded: decoded }] }
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  if (knobs.hang === true) return
  if (!loaded) return refused(response, 503, 'Loading model', 'unavailable_error')
  const path = new URL(request.url ?? '/', 'http://localhost').pathname
  if (path === '/health') return answer(response, 200, { status: 'ok' })
  if (path === '/v1/models') return answer(response, 200, { object: 'list', data: [{ id: alias, object: 'model' }] })
  if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
    return refused(response, 401, 'Invalid API Key', 'authentication_error')
  if (path === '/props') return answer(response, 200, props())
  if (path === '/slots') return answer(response, 200, [slot()])
  if (path === '/v1/chat/completions') {
    atWork += 1
    task += 1
    workSince = Date.now()
    const finish = () => {
      if (knobs.answerOnce !== undefined && !existsSync(knobs.answerOnce)) {
        setTimeout(finish, 100)
        return
      }
      atWork -= 1
      const choice = { index: 0, finish_reason: 'length', message: { role: 'assistant', content: 'Hi' } }
      answer(response, 200, { object: 'chat.completion', model: alias, choices: [choice] })
    }
    setTimeout(finish, knobs.answerMs ?? 0)
    return
  }
  refused(response, 404, 'File Not Found', 'not_found_error')
}

if (!existsSync(model)) {
  process.stdout.write(`error: failed to open GGUF file '${model}'\n`)
  process.exit(1)
}
const port = Number(valueOf('PORT', '--port') ?? 8080)
createServer(handle)
  .once('error', () => {
    process.stdout.write(`srv start: couldn't bind HTTP server socket, hostname: ${address}, port: ${port}\n`)
    process.exit(1)
  })
  .listen(port, address, () => {
    setTimeout(() => {
      if (knobs.crash !== undefined) process.exit(knobs.crash)
      if (knobs.neverWith !== undefined && ` ${flags.join(' ')} `.includes(` ${knobs.neverWith} `)) return
      loaded = true
      process.once('SIGTERM', () => process.exit(0))
      // Most servers are killed, and leave nothing for the next start then.
      flushCompileCache()
      process.stdout.write(`main: server is listening on http://${address}:${port}\n`)
    }, knobs.loadMs ?? 0)
  })
