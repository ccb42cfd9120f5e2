import { InternalError } from '../../errors/converge-error.ts'
import type { Service } from '../../model/fleet.ts'
import type { Launch, SeenPaths, SmokeRequest } from '../../model/launch.ts'
import { known, unknown } from '../../model/observed.ts'
import type { Secret } from '../../model/secret.ts'
import { lastOption } from '../option.ts'
import type { ServerKind } from '../server-kind.ts'
import { fields } from './fields.ts'
import { http } from './http.ts'
import { readBack } from './read-back.ts'
import { recognition } from './recognition.ts'

const bytesPerGib = 1024 ** 3

/** The `serve` program for large quantised models; behaves like colibrì's `coli serve`. */
export const kindB: ServerKind = {
  name: 'B',
  label: 'serve',
  about: 'the `serve` program for large quantised models',
  model: 'folder',
  restart: 'costly',
  memory: { by: 'budget', flag: '--ram', variable: 'RAM_GB' },
  needsPageCache: false,
  describedByFlags: false,
  savesConversations: true,
  defaults: {
    manager: { macos: 'launchd', linux: 'systemd' },
    context: { macos: 16_384, linux: 16_384 },
    interpreter: '/usr/bin/python3',
    // The first generation can take an hour.
    readyS: 3600,
    completionS: 3600,
  },
  contextField: 'ctx',
  checksHost: true,
  keyFile: 'environment',
  help: ['serve'],
  fields,
  http,
  recognition,
  usualPorts: () => [9997, 9998],
  launch,
  readBack,
  doubtfulFlag: ({ noBrowser }) => (noBrowser ? '--no-browser' : undefined),
  needs({ ramGb }) {
    if (ramGb === undefined) return unknown('not-gathered', 'the inventory sets no RAM budget (ram_gb)')
    const bytes = ramGb * bytesPerGib
    return known({ hardBytes: bytes, softBytes: 0, parts: [{ name: 'RAM budget', bytes, from: `ram_gb: ${ramGb}` }] })
  },
  answers: ['chat'],
  smoke: (service) => ({
    health: { path: '/health' },
    models: { path: '/v1/models', alias: service.alias },
    keyCheck: { path: '/v1/models', wrongKeyStatus: 401 },
    ...(service.smoke === 'none' ? {} : { request: chatOf(service) }),
    readyTimeoutS: service.readyTimeoutS,
  }),
}

function chatOf(service: Service): SmokeRequest {
  return {
    kind: 'chat',
    path: '/v1/chat/completions',
    body: {
      model: service.alias,
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 1,
      stream: false,
      ...spareSlot(service),
    },
    timeoutS: service.completionTimeoutS,
  }
}

function launch(service: Service, seen: SeenPaths, key: Secret | undefined): Launch {
  const start = entrypointOf(service)
  const keyVariable = key === undefined ? {} : { [`${service.envPrefix}_API_KEY`]: key }
  const inFile = service.keyDelivery === 'file'
  return {
    kind: 'B',
    program: [...start, 'serve'],
    entrypointLength: start.length,
    args: [...flags(service), ...service.extraArgs],
    env: {
      [`${service.envPrefix}_MODEL`]: seen.model,
      ...(inFile ? {} : keyVariable),
      CTX: String(service.ctxSize),
      ...(service.ramGb === undefined ? {} : { RAM_GB: String(service.ramGb) }),
      ...service.extraEnv,
    },
    secretEnv: inFile ? keyVariable : {},
    // argparse exits with 2 for an unknown flag; retrying would not help.
    fatalExitCodes: [2],
  }
}

function entrypointOf({ interpreter, executable, image, name, host }: Service): readonly string[] {
  if (executable !== undefined) return interpreter === undefined ? [executable] : [interpreter, executable]
  if (image !== undefined) return []
  throw new InternalError(`service ${name} on ${host} came through the inventory without an executable`)
}

/**
 * The template's flags come first. Only some model families read `CTX`, while `--ctx` is translated for each; without `--model-id` every
 * server would list its model under the name of the family.
 */
function flags({ bind, port, noBrowser, alias, ctxSize, allowedHosts }: Service): readonly string[] {
  const template = ['--host', bind, '--port', String(port), ...(noBrowser ? ['--no-browser'] : [])]
  const needed = ['--model-id', alias, '--ctx', String(ctxSize)]
  return [...template, ...needed, ...allowedHosts.flatMap((name) => ['--allowed-host', name])]
}

/** A test chat in the only slot discards the conversation in it; with several slots, the last one is used. */
function spareSlot({ extraArgs, extraEnv, envPrefix }: Service): { readonly cache_slot?: number } {
  const slots = Number(lastOption(extraArgs, ['--kv-slots']) ?? extraEnv[`${envPrefix}_KV_SLOTS`] ?? 1)
  return slots >= 2 ? { cache_slot: slots - 1 } : {}
}
