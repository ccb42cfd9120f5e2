import { InternalError } from '../errors/converge-error.ts'
import type { Secret as WrittenSecret } from '../generated/inventory-file.ts'
import { defined } from '../lib/defined.ts'
import { oncePerObject } from '../lib/once-per-object.ts'
import { hasField, hasOwnAccount } from '../managers/traits.ts'
import type { ModelReference, ModelSource, SecretReference, Service } from '../model/fleet.ts'
import type { ManagerName, Platform, ServerKindName } from '../model/names.ts'
import type { KeyedSource } from '../model/source.ts'
import { serverKinds } from '../servers/index.ts'
import {
  assumedPlatform,
  defaultContext,
  defaultImage,
  defaultInterpreter,
  defaultManager,
  defaultTimeouts,
  serviceDefaults,
} from './defaults.ts'
import { keyedSource } from './keyed-source.ts'
import type { MergedService } from './merge.ts'
import type { WrittenFields } from './service-to-check.ts'
import { writtenService } from './written-host.ts'

/** A service with all defaults. The checks ran before, so a missing field here is a bug. */
export function normaliseService(
  host: { name: string; platform: Platform | undefined },
  name: string,
  merged: MergedService,
): Service {
  const written = writtenService(merged)
  const { kind, port, model } = written
  if (kind === undefined || port === undefined || model === undefined)
    throw new InternalError(`${name} of ${host.name} is incomplete`)
  const platform = host.platform ?? assumedPlatform
  const manager = written.manager ?? defaultManager(platform, kind)
  return {
    name,
    host: host.name,
    kind,
    manager,
    state: written.state ?? serviceDefaults.state,
    port,
    alias: written.alias ?? name,
    bind: written.host ?? serviceDefaults.bind,
    model: normaliseModel(model),
    ctxSize: contextIn(written, kind) ?? defaultContext(platform, kind),
    ...launchFields(written),
    ...timeouts(written, kind),
    ...optional(written, kind, manager),
    ...ownFields(written, kind),
    source: sourceOf(merged),
  }
}

/** Hosts share the services of their groups, so this is computed once for all of them. */
const sourceOf = oncePerObject(({ key, fields }: MergedService): KeyedSource => keyedSource(key, fields))

function contextIn(written: WrittenFields, kind: ServerKindName): number | undefined {
  const { contextField } = serverKinds[kind]
  const [, size] = Object.entries<unknown>(written).find(([field]) => field === contextField) ?? []
  return typeof size === 'number' ? size : undefined
}

/** Fields of some kinds that are members of `Service`. */
const mapped: ReadonlySet<string> = new Set<keyof WrittenFields>([
  'ctx_size',
  'ctx',
  'n_gpu_layers',
  'threads',
  'jinja',
  'ram_gb',
  'interpreter',
  'env_prefix',
  'no_browser',
  'allowed_hosts',
])

/** The other fields of a kind. */
function ownFields(written: WrittenFields, kind: ServerKindName): Pick<Service, 'own'> {
  const { fields, contextField } = serverKinds[kind]
  const own = Object.entries<unknown>(written).filter(
    ([field]) => Object.hasOwn(fields.own, field) && field !== contextField && !mapped.has(field),
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the kind has checked it
  return own.length === 0 ? {} : { own: Object.fromEntries(own) as Service['own'] & object }
}

/** How it is started and run. */
function launchFields(written: WrittenFields) {
  return {
    jinja: written.jinja ?? serviceDefaults.jinja,
    extraArgs: (written.extra_args ?? []).map(String),
    extraEnv: Object.fromEntries(Object.entries(written.env ?? {}).map(([variable, value]) => [variable, String(value)])),
    envPrefix: written.env_prefix ?? serviceDefaults.envPrefix,
    noBrowser: written.no_browser ?? serviceDefaults.noBrowser,
    allowedHosts: written.allowed_hosts ?? [],
    keyDelivery: written.key_delivery ?? serviceDefaults.keyDelivery,
    keepAwake: written.keep_awake ?? serviceDefaults.keepAwake,
  }
}

function timeouts(
  written: WrittenFields,
  kind: ServerKindName,
): Pick<Service, 'readyTimeoutS' | 'completionTimeoutS' | 'stopTimeoutS' | 'stopTimeoutFixed'> {
  const defaults = defaultTimeouts(kind)
  return {
    readyTimeoutS: written.ready_timeout ?? defaults.readyS,
    completionTimeoutS: written.completion_timeout ?? defaults.completionS,
    stopTimeoutS: written.stop_timeout ?? serviceDefaults.stopTimeoutS,
    ...(written.stop_timeout === undefined ? {} : { stopTimeoutFixed: true }),
  }
}

function optional(written: WrittenFields, kind: ServerKindName, manager: ManagerName): Partial<Service> {
  const interpreter = written.interpreter ?? defaultInterpreter(kind)
  const image = written.image ?? defaultImage(manager, kind)
  return {
    ...defined({ executable: written.executable, interpreter, smoke: written.smoke }),
    ...(image === undefined || !hasField(manager, 'image') ? {} : { image }),
    ...defined({ nGpuLayers: written.n_gpu_layers, threads: written.threads, ramGb: written.ram_gb }),
    ...accountFields(written, manager),
    ...(written.unit === undefined || !hasField(manager, 'unit') ? {} : { unit: withSuffix(written.unit) }),
    ...(hasField(manager, 'label') ? defined({ label: written.label }) : {}),
    ...fileFields(written, manager),
    ...(written.api_key === undefined ? {} : { key: normaliseSecret(written.api_key) }),
  }
}

/** Who runs it; under launchd that depends on the domain. */
function accountFields(written: WrittenFields, manager: ManagerName): Pick<Service, 'user' | 'domain'> {
  return {
    ...(hasOwnAccount(manager, written) ? defined({ user: written.user }) : {}),
    ...(written.domain === 'system' && hasField(manager, 'domain') ? { domain: written.domain } : {}),
  }
}

function fileFields(
  { file, file_service: fileService, project, container }: WrittenFields,
  manager: ManagerName,
): Partial<Service> {
  return hasField(manager, 'file') ? defined({ file, fileService, project, container }) : {}
}

/** A unit may be named without its type. */
export function withSuffix(unit: string): string {
  return unit.endsWith('.service') ? unit : `${unit}.service`
}

function normaliseModel({ path, giant_moe, source }: NonNullable<WrittenFields['model']>): ModelReference {
  return {
    path,
    ...defined({ giantMoe: giant_moe }),
    ...(source === undefined ? {} : { source: normaliseSource(source) }),
  }
}

function normaliseSource({
  hub = 'https://huggingface.co',
  repo,
  files,
  include,
  revision = 'main',
  from,
  fetcher,
  sha256,
  token,
}: NonNullable<NonNullable<WrittenFields['model']>['source']>): ModelSource {
  return {
    hub: (URL.parse(hub)?.href ?? hub).replace(/\/$/, ''),
    repo,
    files: files ?? include ?? [],
    revision,
    ...defined({ from, fetcher, sha256 }),
    ...(token === undefined ? {} : { token: normaliseSecret(token) }),
  }
}

/** Text is a vault block here: the schema allows no other text. */
export function normaliseSecret(written: WrittenSecret): SecretReference {
  return typeof written === 'string' ? { vault: `${written.trim().split(/\s+/u).join('\n')}\n` } : written
}
