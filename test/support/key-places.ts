import type { Host, Service } from '../../src/model/fleet.ts'
import { type KeyedSource, type KeyPath, keyId } from '../../src/model/source.ts'

const file = 'inventories/home/hosts.yaml'

/** A service at a line, each of its keys at a line of its own below; a key without a value is not written. */
export function writtenAt(service: Service, line: number): KeyedSource {
  return sourceWith(line, pathsOf(service))
}

/** A host at the first line, its keys below. */
export function hostAt({ platform, ramGb }: Partial<Host>): KeyedSource {
  return sourceWith(
    1,
    ([['ansible_become'], platform && ['platform'], ramGb && ['ram_gb']] as const).filter((path) => Array.isArray(path)),
  )
}

function sourceWith(line: number, paths: readonly KeyPath[]): KeyedSource {
  const keys = paths.map((path, index) => [keyId(path), { file, line: line + index + 1, column: 5 }] as const)
  return { file, line, column: 3, keys: Object.fromEntries(keys) }
}

function pathsOf(service: Service): readonly KeyPath[] {
  const { model, extraArgs, extraEnv } = service
  const plain = fields.filter(([field]) => service[field] !== undefined).map(([, key]) => [key])
  const context = service.kind === 'A' ? 'ctx_size' : 'ctx'
  return [
    ...plain,
    ['model', 'path'],
    ...(model.source === undefined ? [] : [['model', 'source'], ...['repo', 'revision'].map((key) => ['model', 'source', key])]),
    ...(model.giantMoe === undefined ? [] : [['model', 'giant_moe']]),
    [context],
    ...extraArgs.map((_, index) => ['extra_args', index]),
    ...Object.keys(extraEnv).map((name) => ['env', name]),
  ]
}

const fields: readonly (readonly [keyof Service, string])[] = [
  ['kind', 'kind'],
  ['manager', 'manager'],
  ['state', 'state'],
  ['port', 'port'],
  ['alias', 'alias'],
  ['bind', 'host'],
  ['executable', 'executable'],
  ['interpreter', 'interpreter'],
  ['image', 'image'],
  ['model', 'model'],
  ['nGpuLayers', 'n_gpu_layers'],
  ['threads', 'threads'],
  ['jinja', 'jinja'],
  ['extraArgs', 'extra_args'],
  ['extraEnv', 'env'],
  ['ramGb', 'ram_gb'],
  ['noBrowser', 'no_browser'],
  ['key', 'api_key'],
  ['keyDelivery', 'key_delivery'],
]
