import { defined } from '../lib/defined.ts'
import { isObject } from '../lib/json-object.ts'
import { ownMember } from '../lib/own-member.ts'
import { managers } from '../managers/index.ts'
import { ownershipLabelOf } from '../managers/ownership-label.ts'
import { inContainer, isManager } from '../managers/traits.ts'
import type { AppliedRecord } from '../model/applied-record.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import { unknownWords } from '../policy/words.ts'
import { serverKinds } from '../servers/index.ts'

/** A service as it was last applied. */
export interface RecordedService {
  readonly service: Service
  readonly record: AppliedRecord
}

/** Why there is no record to compare with. */
export interface NoRecord {
  readonly why: string
}

/**
 * The service as it was last applied, from the host's record, or why that is unknown. The record is on the host, where others can edit it: only
 * values that an inventory allows are used. It contains no keys; the current key stands in.
 */
export function recordedService(wanted: Service, org: string, { applied }: HostFacts): RecordedService | NoRecord {
  if (!applied.known) return { why: `the records of the last apply cannot be read (${unknownWords(applied)})` }
  const record = ownMember(applied.value, wanted.name)
  if (record === undefined) return { why: `the host has no record of an apply of ${wanted.name}` }
  if (record.mark !== ownershipLabelOf(org, wanted.name)) return { why: 'the record on the host is of another fleet' }
  const unsound = [...missingFields(record.wanted), ...unsoundFields(record.wanted)]
  if (unsound.length > 0) return { why: `the record on the host is incomplete or invalid (${unsound.join(', ')})` }
  const service = rehydrated(wanted, record.wanted)
  if (service.manager !== wanted.manager)
    return { why: `it was applied under ${service.manager}, but the inventory now says ${wanted.manager}` }
  const [before, now] = [service, wanted].map((one) => managers[wanted.manager].nameOf(one, org))
  if (before !== now) return { why: `it was applied as ${before}, but the inventory now says ${now}` }
  return { service, record }
}

/** Required fields that the record lacks, because an older version wrote it, count as unchanged. The time to stop is as it was then. */
function rehydrated(wanted: Service, recorded: Readonly<Record<string, unknown>>): Service {
  const known = Object.entries(recorded).filter(([field]) => Object.hasOwn(isSound, field))
  const kept = Object.entries(wanted).filter(([field]) => !optional.has(field))
  const { key, override } = wanted
  // An override applies whatever the inventory said then.
  const state = override?.state
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every field was checked
  return { ...Object.fromEntries([...kept, ...known]), ...defined({ key, state }), stopTimeoutFixed: true } as unknown as Service
}

type RecordedField = Exclude<keyof Service, 'name' | 'host' | 'source' | 'key' | 'override'>

/** If a record lacks one of these, the inventory did not set it. */
const optional: ReadonlySet<string> = new Set<RecordedField>([
  'executable',
  'interpreter',
  'image',
  'nGpuLayers',
  'threads',
  'ramGb',
  'user',
  'unit',
  'domain',
  'label',
  'file',
  'fileService',
  'project',
  'container',
  'stopTimeoutFixed',
  'smoke',
  'own',
])

/** By field: whether an inventory can contain the value. */
const isSound: Readonly<Record<RecordedField, (value: unknown) => boolean>> = {
  kind: oneOf(...Object.keys(serverKinds)),
  manager: oneOf(...Object.keys(managers)),
  state: oneOf('running', 'stopped', 'absent', 'unmanaged'),
  port: isNumber,
  alias: isLine,
  bind: isLine,
  executable: isLine,
  interpreter: isLine,
  image: isLine,
  model: isModel,
  ctxSize: isNumber,
  nGpuLayers: isNumber,
  threads: isNumber,
  jinja: isSwitch,
  extraArgs: isLines,
  extraEnv: isEnvironment,
  ramGb: isNumber,
  envPrefix: isLine,
  noBrowser: isSwitch,
  allowedHosts: isLines,
  user: isLine,
  unit: isLine,
  domain: oneOf('gui', 'system'),
  label: isLine,
  file: isLine,
  fileService: isLine,
  project: isLine,
  container: isLine,
  keyDelivery: oneOf('file', 'inline'),
  readyTimeoutS: isNumber,
  completionTimeoutS: isNumber,
  stopTimeoutS: isNumber,
  stopTimeoutFixed: (value) => value === true,
  smoke: oneOf('chat', 'embedding', 'rerank', 'none'),
  keepAwake: isSwitch,
  own: (value) => isObject(value) && Object.values(value).every(isOwnValue),
}

/** Without these, no server could have been started. */
function missingFields(recorded: Readonly<Record<string, unknown>>): readonly string[] {
  const { manager } = recorded
  const program = isManager(manager) && inContainer({ manager }) ? 'image' : 'executable'
  return ['kind', 'manager', 'state', 'port', 'model', program].filter((field) => recorded[field] === undefined)
}

function unsoundFields(recorded: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(recorded).flatMap(([field, value]) =>
    Object.hasOwn(isSound, field) && !isSoundField(field, value) ? [field] : [],
  )
}

function isSoundField(field: string, value: unknown): boolean {
  return Object.entries(isSound).some(([name, check]) => name === field && check(value))
}

function oneOf(...words: readonly string[]): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && words.includes(value)
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value)
}

function isSwitch(value: unknown): boolean {
  return typeof value === 'boolean'
}

/** Neither definitions nor inventories allow control characters. */
function isLine(value: unknown): boolean {
  return typeof value === 'string' && !/\p{Cc}|[\u2028\u2029\ufeff]/u.test(value)
}

function isOwnValue(value: unknown): boolean {
  return isNumber(value) || isSwitch(value) || isLine(value) || isLines(value)
}

function isLines(value: unknown): boolean {
  return Array.isArray(value) && value.every(isLine)
}

function isEnvironment(value: unknown): boolean {
  return isObject(value) && Object.entries(value).every(([name, text]) => /^\w+$/.test(name) && isLine(text))
}

function isModel(value: unknown): boolean {
  return isObject(value) && isLine(value['path'])
}
