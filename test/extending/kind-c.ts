import { InternalError } from '../../src/errors/converge-error.ts'
import type { Service } from '../../src/model/fleet.ts'
import { mapObserved, unknown } from '../../src/model/observed.ts'
import { readProgram } from '../../src/servers/read-program.ts'
import { readBackOf } from '../../src/servers/read-started.ts'
import { modelPath, text, wholeNumber } from '../../src/servers/readings.ts'
import type { ServerKind } from '../../src/servers/server-kind.ts'

/** The name of a third kind. That of a kind that is here to stay stands in `model/names.ts` as well. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types know the kinds of the product alone
export const third = 'C' as 'A'

/**
 * A third kind, to prove that nothing outside of its own file has to know one: `mlx_lm.server` as its manual has it. It loads a folder
 * with weights in the format of MLX, copies them, has no key, and does not say what it works on.
 */
export const kindC: ServerKind = {
  name: third,
  label: 'mlx',
  about: 'a server for models in the format of MLX, `mlx_lm.server`',
  model: 'folder',
  restart: 'cheap',
  memory: {
    by: 'weights',
    asStarted: (service, { argv }) => ({ ...service, extraArgs: argv }),
    leastDue: () => unknown('unreadable', 'its cache has no limit'),
  },
  needsPageCache: false,
  describedByFlags: true,
  savesConversations: false,
  defaults: {
    manager: { macos: 'launchd', linux: 'systemd' },
    context: { macos: 32_768, linux: 32_768 },
    readyS: 300,
    completionS: 120,
  },
  keyFile: 'bare',
  help: [],
  fields: {
    own: {
      interpreter: {
        title: 'Interpreter',
        description: 'what runs `executable`.',
        examples: ['/opt/mlx/bin/python3'],
        $ref: '#/$defs/absolute_path',
      },
      prompt_cache_size: {
        title: 'Prompt caches',
        description: 'how many conversations it remembers (`--prompt-cache-size`). Without it the server decides.',
        examples: [4],
        type: 'integer',
        minimum: 1,
      },
    },
    settings: [
      { field: 'host', flags: ['--host'], read: text, always: true, ownDefault: '127.0.0.1' },
      { field: 'port', flags: ['--port'], read: wholeNumber(1, 65_535), always: true },
      { field: 'model', flags: ['--model'], read: modelPath },
      { field: 'prompt_cache_size', flags: ['--prompt-cache-size'], read: wholeNumber(1) },
    ],
  },
  http: {
    answersWhileLoading: true,
    keyPath: '/v1/models',
    requests: { read: () => undefined },
  },
  recognition: {
    hasEngine: false,
    comesWithOthers: false,
    isServer: ({ invocation, isNamed }) => isNamed || invocation.base === 'mlx_lm.server',
    isKnownByName: (path) => path.endsWith('/mlx_lm.server'),
    programName: () => 'mlx_lm.server',
  },
  usualPorts: () => [9990, 9995],
  launch({ name, executable, interpreter, bind, port, own = {}, extraArgs, extraEnv }, { model }) {
    if (executable === undefined) throw new InternalError(`${name} has no executable`)
    return {
      kind: third,
      program: interpreter === undefined ? [executable] : [interpreter, executable],
      entrypointLength: interpreter === undefined ? 1 : 2,
      args: ['--host', bind, '--port', String(port), '--model', model, ...promptCaches(own), ...extraArgs],
      env: extraEnv,
      secretEnv: {},
      fatalExitCodes: [2],
    }
  },
  readBack(started) {
    const { fields } = kindC
    const program = readProgram(started.argv, { interpreter: 'optional' })
    return readBackOf(started, program, {
      ...fields,
      faultOfWord: () => undefined,
      faultOfVariable: () => undefined,
      isOwnVariable: () => false,
    })
  },
  needs: ({ model: { path } }, model) =>
    mapObserved(model, (there) => {
      const bytes = there?.files.reduce((sum, file) => sum + file.bytes, 0) ?? 0
      return { hardBytes: bytes, softBytes: 0, parts: [{ name: 'weights', bytes, from: path }] }
    }),
  answers: ['chat'],
  // It knows its model by its path alone.
  smoke: ({ model: { path }, readyTimeoutS, completionTimeoutS }) => ({
    health: { path: '/health' },
    models: { path: '/v1/models', alias: path },
    keyCheck: { path: '/v1/models', wrongKeyStatus: 401 },
    request: {
      kind: 'chat',
      path: '/v1/chat/completions',
      body: { model: path, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 },
      timeoutS: completionTimeoutS,
    },
    readyTimeoutS,
  }),
}

function promptCaches({ prompt_cache_size: size }: NonNullable<Service['own']>): readonly string[] {
  return size === undefined ? [] : ['--prompt-cache-size', String(size)]
}
