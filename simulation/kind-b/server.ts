import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { endWithSupervisor } from '../lifeline.ts'
import { Api } from './api.ts'
import { type Arguments, Ending, readArguments } from './arguments.ts'
import { EngineProcess } from './engine-process.ts'
import { knobsOf } from './knobs.ts'
import { defaultIdOf } from './model-folder.ts'

/**
 * A Kind B without a model: `server.ts INTERPRETER PROGRAM WORDS…`, the front that a supervisor sees. As the real one was observed:
 * the port is bound before the engine starts, but requests wait until it has loaded; SIGTERM ends it by the signal while it
 * loads and with 0 afterwards, without finishing requests; without its engine it keeps running and fails every chat.
 */
const [, program = '', ...words] = process.argv.slice(2)
// An import would also load what Node has for WebSockets, which takes as long as all the rest of a start.
const { createServer } = process.getBuiltinModule('node:http')
endWithSupervisor()

try {
  run(readArguments(words, process.env, knobsOf(program).noBrowser === true))
} catch (error) {
  if (!(error instanceof Ending)) throw error
  const stream = error.status === 0 ? process.stdout : process.stderr
  stream.write(error.message)
  process.exitCode = error.status
}

function run(given: Arguments): void {
  const id = given.modelId ?? defaultIdOf(given.model)
  defaultIdOf(given.model)
  const { host, port } = given
  if (!['127.0.0.1', 'localhost', '::1'].includes(host) && given.key === '')
    throw new Ending(
      1,
      `refusing to bind ${host} beyond localhost without SRV_API_KEY set (set SRV_ALLOW_INSECURE_BIND=1 to override)\n`,
    )
  const loaded = Promise.withResolvers<Api>()
  const server = createServer((request, response) => {
    void loaded.promise.then((api) => api.handle(request, response))
  })
  // The limit of connections per address; behind a tunnel all come from the same one.
  server.maxConnections = 8
  server.once('error', ({ message }) => die(`OSError: ${message}`))
  server.listen(port, host, () => void load(given, id, loaded.resolve))
}

async function load(given: Arguments, id: string, loaded: (api: Api) => void): Promise<void> {
  const engine = new EngineProcess(program, given.model)
  if (!(await engine.ready)) return die('RuntimeError: colibri engine exited unexpectedly')
  const stop = (): void => {
    process.off('SIGTERM', stop).off('SIGINT', stop)
    void end(engine)
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  loaded(new Api(given, id, engine))
  // Most servers are killed, and leave nothing for the next start then.
  flushCompileCache()
  process.stderr.write(`OpenAI-compatible API listening on http://${given.host}:${given.port}/v1\n`)
}

async function end(engine: EngineProcess): Promise<void> {
  await engine.close()
  // Open requests get an error.
  await sleep(50)
  process.exit(0)
}

function die(why: string): void {
  process.stderr.write(`Traceback (most recent call last):\n${why}\n`)
  process.exit(1)
}
