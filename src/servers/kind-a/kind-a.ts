import { InternalError } from '../../errors/converge-error.ts'
import { defined } from '../../lib/defined.ts'
import type { Service } from '../../model/fleet.ts'
import type { Launch, SeenPaths } from '../../model/launch.ts'
import type { Secret } from '../../model/secret.ts'
import { lastOption } from '../option.ts'
import type { ServerKind } from '../server-kind.ts'
import { fields } from './fields.ts'
import { gpuLayersOf } from './gpu-layers.ts'
import { http } from './http.ts'
import { asStarted, cacheRamBytes, kindAMemory } from './memory.ts'
import { readBack } from './read-back.ts'
import { recognition } from './recognition.ts'
import { requestOf } from './request.ts'

/** The GGUF server: `llama-server` of llama.cpp and compatible programs. */
export const kindA: ServerKind = {
  name: 'A',
  label: 'gguf',
  about: 'a GGUF server in the style of `llama-server`',
  model: 'gguf',
  restart: 'cheap',
  memory: { by: 'weights', asStarted, leastDue: cacheRamBytes },
  needsPageCache: true,
  describedByFlags: true,
  savesConversations: false,
  defaults: {
    manager: { macos: 'launchd', linux: 'compose' },
    context: { macos: 65_536, linux: 262_144 },
    image: 'ghcr.io/ggml-org/llama.cpp:server',
    // It loads in minutes at worst.
    readyS: 600,
    completionS: 120,
  },
  contextField: 'ctx_size',
  keyFile: 'bare',
  keyFaults: [
    { pattern: /,/, words: 'contains a comma, at which the server would split it into several keys' },
    { pattern: /^#/, words: 'starts with `#`, so the server would skip it as a comment' },
  ],
  help: [],
  fields,
  http,
  recognition,
  usualPorts: (platform) => (platform === 'macos' ? [9990, 9995] : [9996, 9996]),
  launch,
  readBack,
  needs: kindAMemory,
  gpuLayers: gpuLayersOf,
  answers: ['chat', 'embedding', 'rerank'],
  smoke(service) {
    const prefix = lastOption(service.extraArgs, ['--api-prefix']) ?? ''
    return {
      health: { path: `${prefix}/health` },
      models: { path: `${prefix}/v1/models`, alias: service.alias },
      // Health and, in many builds, the model list answer without a key: only a protected path proves that the key is required.
      keyCheck: { path: `${prefix}/props`, wrongKeyStatus: 401 },
      ...defined({ request: requestOf(service, prefix) }),
      readyTimeoutS: service.readyTimeoutS,
    }
  },
}

function launch(service: Service, seen: SeenPaths, key: Secret | undefined): Launch {
  const inFile = key !== undefined && service.keyDelivery === 'file'
  return {
    kind: 'A',
    program: [programOf(service)],
    entrypointLength: 1,
    args: [...flags(service, seen.model), ...keyFlags(seen, key, inFile), ...service.extraArgs],
    env: { ...switchedOff(service), ...service.extraEnv },
    secretEnv: {},
    ...(inFile ? { keyFileContent: key.rewritten((value) => `${value}\n`) } : {}),
    // A bad flag, a taken port and a model that does not load all exit with 1: no code means that retrying is pointless.
    fatalExitCodes: [],
  }
}

function programOf(service: Service): string {
  if (service.executable !== undefined) return service.executable
  // The image contains the program.
  if (service.image !== undefined) return 'llama-server'
  throw new InternalError(`service ${service.name} on ${service.host} came through the inventory without an executable`)
}

function flags(service: Service, model: string): readonly string[] {
  const { bind, port, alias, ctxSize, threads, nGpuLayers, jinja } = service
  const always = ['--host', bind, '--port', String(port), '--model', model, '--alias', alias, '--ctx-size', String(ctxSize)]
  return [
    ...always,
    ...(threads === undefined ? [] : ['--threads', String(threads)]),
    ...(nGpuLayers === undefined ? [] : ['--n-gpu-layers', String(nGpuLayers)]),
    ...(jinja ? ['--jinja'] : []),
  ]
}

function keyFlags(seen: SeenPaths, key: Secret | undefined, inFile: boolean): readonly (string | Secret)[] {
  if (key === undefined) return []
  if (!inFile) return ['--api-key', key]
  if (seen.keyFile === undefined) throw new InternalError('the launch needs a key file, but its path in the server is unknown')
  return ['--api-key-file', seen.keyFile]
}

/**
 * Newer builds process templates by default and have `--no-jinja` to disable it, which older ones reject with an error. All of them read the
 * variable (tested with build 11669).
 */
function switchedOff(service: Service): Readonly<Record<string, string>> {
  return service.jinja ? {} : { LLAMA_ARG_JINJA: '0' }
}
