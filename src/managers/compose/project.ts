import { InternalError } from '../../errors/converge-error.ts'
import { digestOf } from '../../lib/digest.ts'
import { oncePerObject } from '../../lib/once-per-object.ts'
import type { Service } from '../../model/fleet.ts'
import type { Launch } from '../../model/launch.ts'
import { serverKinds } from '../../servers/index.ts'
import { loadsFolder } from '../../servers/traits.ts'
import type { SecretTree } from '../closed-secrets.ts'
import { keyFileName } from '../key-file.ts'
import type { RenderInput } from '../manager.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import { keptOf } from './kept.ts'

/** Label with the digest of the desired definition: the definition that a container was created from. */
export const definitionLabel = 'converge.definition'
/** Docker label that holds the ownership label: which fleet owns the container. */
export const ownershipLabelKey = 'converge.managed'

/** A stopped container stays stopped; one that crashes, or ran when the engine ended, is restarted. */
export const restartPolicy = 'unless-stopped'

/** The command inside the container, where the model is mounted at `/models` and the port is published. */
export function launchInContainer(input: Pick<RenderInput, 'service' | 'key' | 'around'>): Launch {
  const { service, key } = input
  const inside = { ...service, bind: '0.0.0.0', port: portInside(input) }
  return serverKinds[service.kind].launch(inside, { model: modelMount(service).seen, keyFile: keyFileInside(service) }, key)
}

/** `host:container[:ro]` of the model's folder, as in the template. */
export function modelBind(service: Service): string {
  return `${modelMount(service).folder}:/models:ro`
}

/** The path of a host file in the container; undefined: not mounted. */
export function pathInContainer(service: Service, path: string): string | undefined {
  const { folder } = modelMount(service)
  const inside = folder === '/' ? '/' : `${folder}/`
  return path.startsWith(inside) ? `/models/${path.slice(inside.length)}` : undefined
}

export function portMapping(input: Pick<RenderInput, 'service' | 'around'>): string {
  return `${input.service.port}:${portInside(input)}`
}

/** Other services of the same file may use the port inside, so it stays. */
function portInside({ service, around }: Pick<RenderInput, 'service' | 'around'>): number {
  const kept = keptOf(service, around).port
  return kept ?? service.port
}

/** SHA-256 of the desired definition with keys as `***`: a label must not help to guess a weak key. */
export const wantedDigest = oncePerObject((input: RenderInput): string => {
  return digestOf(containerOf(input))
})

/** The service in its compose file, as data. */
export function composeService(input: RenderInput): Readonly<Record<string, SecretTree>> {
  const container = containerOf(input)
  const labels = {
    [ownershipLabelKey]: ownershipLabelOf(input.settings.org, input.service.name),
    [definitionLabel]: digestOf(container),
  }
  return { ...container, labels }
}

function containerOf(input: RenderInput): Readonly<Record<string, SecretTree>> {
  const { service } = input
  const launch = launchInContainer(input)
  const ownEntrypoint = launch.entrypointLength === launch.program.length
  const entrypoint = ownEntrypoint ? [] : launch.program.slice(0, launch.entrypointLength)
  const command = ownEntrypoint ? launch.args : [...launch.program.slice(launch.entrypointLength), ...launch.args]
  return {
    image: imageOf(service),
    ...containerName(input),
    restart: restartPolicy,
    // Process 1 has no default action for SIGTERM: without an init, a server that is loading would have to be killed.
    init: true,
    stop_grace_period: `${service.stopTimeoutS}s`,
    ports: [publishedPort(input)],
    volumes: [modelVolume(service), ...(launch.keyFileContent === undefined ? [] : [keyMount(input)])],
    ...(entrypoint.length === 0 ? {} : { entrypoint }),
    command,
    ...(Object.keys(launch.env).length === 0 ? {} : { environment: launch.env }),
    ...(Object.keys(launch.secretEnv).length === 0 ? {} : { env_file: [keyFileOutside(input)] }),
    healthcheck: healthcheck(input),
    logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } },
  }
}

/** In a user's own file compose names the container, unless the file or the inventory does. */
function containerName({ service, around }: RenderInput): { readonly container_name?: string } {
  const name = service.container ?? (service.file === undefined ? service.name : keptOf(service, around).name)
  return name === undefined ? {} : { container_name: name }
}

export function imageOf({ name, host, image }: Service): string {
  if (image === undefined) throw new InternalError(`service ${name} on ${host} came through the inventory without an image`)
  return image
}

export function keyFileOutside({ service, layout }: RenderInput): string {
  return `${layout.root}/${keyFileName(service)}`
}

function keyFileInside(service: Service): string {
  return `/run/secrets/${service.name}.key`
}

/** Uses the long form, because the short one creates a folder if the key file is missing. */
function keyMount(input: RenderInput): SecretTree {
  return { type: 'bind', source: keyFileOutside(input), target: keyFileInside(input.service), read_only: true }
}

/** Uses the short form, as in the template; only a colon in the path needs the long one. */
function modelVolume(service: Service): SecretTree {
  const { folder } = modelMount(service)
  return folder.includes(':') ? { type: 'bind', source: folder, target: '/models', read_only: true } : modelBind(service)
}

/** A kind that names a file also reads the other parts beside it. */
function modelMount({ kind, model }: Service): { readonly folder: string; readonly seen: string } {
  const path = model.path.replace(/\/+$/, '')
  if (loadsFolder(kind)) return { folder: path, seen: '/models' }
  const slash = path.lastIndexOf('/')
  return { folder: path.slice(0, slash) || '/', seen: `/models${path.slice(slash)}` }
}

/** The bind address applies to the host: inside, the server listens on all addresses, so that its port can be published. */
function publishedPort(input: RenderInput): string {
  const { bind } = input.service
  if (bind === '0.0.0.0' || bind === '::') return portMapping(input)
  return `${bind.includes(':') ? `[${bind}]` : bind}:${portMapping(input)}`
}

/**
 * An image's own check queries the default port and calls every other one unhealthy. Kind B has no check: it reads no request while it
 * loads, so a few waiting checks fill its queue; and its `/health` stays good even after its engine has died.
 */
function healthcheck(input: RenderInput): SecretTree {
  const { service } = input
  const kind = serverKinds[service.kind]
  if (!kind.http.answersWhileLoading) return { disable: true }
  const url = `http://127.0.0.1:${portInside(input)}${kind.smoke(service).health.path}`
  return {
    test: ['CMD', 'curl', '-fsS', '-o', '/dev/null', '--max-time', '5', url],
    interval: '30s',
    timeout: '10s',
    retries: 3,
    start_period: `${service.readyTimeoutS}s`,
  }
}
