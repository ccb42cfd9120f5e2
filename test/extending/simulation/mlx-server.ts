import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'
import { endWithSupervisor } from '../../../simulation/lifeline.ts'

/**
 * An `mlx_lm.server` without a model: `mlx-server.ts PYTHON PROGRAM FLAGS…`. As the real one it is healthy as soon as it listens, lists the
 * path of its model among whatever else there is, takes any key, and ends by SIGTERM without a word.
 */
const words = process.argv.slice(4)
// See `simulation/kind-b/server.ts`.
const { createServer } = process.getBuiltinModule('node:http')
endWithSupervisor()
const flags = ['host', 'port', 'model', 'prompt-cache-size', 'help', 'version'] as const

function read(): Readonly<Record<string, string | boolean | undefined>> | undefined {
  const options = Object.fromEntries(
    flags.map((flag) => [flag, { type: flag === 'help' || flag === 'version' ? 'boolean' : 'string' } as const]),
  )
  try {
    return parseArgs({ args: words, options }).values
  } catch {
    return undefined
  }
}

const given = read()
if (given === undefined) {
  process.stderr.write(`usage: mlx_lm.server\nmlx_lm.server: error: unrecognized arguments: ${words.join(' ')}\n`)
  process.exit(2)
}
if (given['help'] === true || given['version'] === true) {
  const lines = flags.filter((flag) => flag !== 'version').map((flag) => `  --${flag}\n`)
  process.stdout.write(`usage: mlx_lm.server [options]\n${lines.join('')}`)
  process.exit(0)
}
const model = String(given['model'])
const shown = model.replace(process.env['SIMULATED_ROOT'] ?? '', '')

function handle({ method, url }: IncomingMessage, response: ServerResponse): void {
  const answer = (status: number, body: unknown) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  if (method === 'GET' && url === '/health') return answer(200, { status: 'ok' })
  if (method === 'GET' && url === '/v1/models')
    return answer(200, { object: 'list', data: ['mlx-community/another', shown].map((id) => ({ id, object: 'model' })) })
  if (method !== 'POST' || url !== '/v1/chat/completions') return answer(404, { error: 'Not Found' })
  if (!existsSync(model)) return answer(404, { error: `Repo id or path not found: ${shown}` })
  const choice = { index: 0, finish_reason: 'length', message: { role: 'assistant', content: 'Hi' } }
  return answer(200, { object: 'chat.completion', model: shown, choices: [choice], usage: { completion_tokens: 1 } })
}

createServer(handle).listen(Number(given['port'] ?? 8080), String(given['host'] ?? '127.0.0.1'))
