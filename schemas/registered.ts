import { managers } from '../src/managers/index.ts'
import type { OwnField } from '../src/managers/manager.ts'
import type { ManagerName, Platform } from '../src/model/names.ts'
import { serverKinds } from '../src/servers/index.ts'
import type { ServerKind } from '../src/servers/server-kind.ts'

/** A part of a schema. */
export interface Part {
  [keyword: string]: unknown
}

const kinds = Object.values(serverKinds)
const names = { kinds: Object.keys(serverKinds), managers: Object.keys(managers) }

/**
 * By schema: writes into it what the kinds and managers say that are registered: their names, their defaults, and the fields that not all
 * kinds have. All else in it is written by hand.
 */
export const registered: Readonly<Record<string, (schema: Part) => void>> = {
  'inventory.schema.json': (schema) => {
    const service = partAt(schema, ['$defs', 'service'])
    service['properties'] = withOwnFields(partAt(service, ['properties']))
    for (const [field, words] of Object.entries(descriptions)) partAt(service, ['properties', field])['description'] = words
    for (const field of ['user', 'domain', 'unit', 'file', 'file_service', 'project', 'container', 'keep_awake'] as const) {
      const part = partAt(service, ['properties', field])
      part['description'] = String(part['description']).replace(/^.*?: /, `${managersWords(field)}: `)
    }
    partAt(service, ['properties', 'kind'])['enum'] = names.kinds
    partAt(service, ['properties', 'manager'])['enum'] = names.managers
    partAt(schema, ['$defs', 'model', 'properties', 'path'])['description'] = modelWords()
  },
  'plan.schema.json': (schema) => {
    partAt(schema, ['$defs', 'action', 'properties', 'manager'])['enum'] = names.managers
  },
  'adopt.schema.json': (schema) => {
    partAt(schema, ['$defs', 'server', 'properties', 'kind'])['enum'] = [...names.kinds, null]
  },
  'facts.schema.json': (schema) => {
    partAt(schema, ['$defs', 'resident', 'properties', 'role'])['enum'] = [...names.kinds, 'engine', 'runner']
  },
  'host-facts.schema.json': (schema) => {
    partAt(schema, ['$defs', 'kind'])['enum'] = names.kinds
  },
}

function partAt(schema: Part, path: readonly string[]): Part {
  let part: unknown = schema
  for (const step of path) part = isPart(part) ? part[step] : undefined
  if (!isPart(part)) throw new Error(`the schema has no ${path.join('/')}`)
  return part
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Behind the model, which all kinds have; those of before are left out. */
function withOwnFields(properties: Part): Part {
  const fields = [...new Set(kinds.flatMap(({ fields: { own } }) => Object.keys(own)))].map((field) => [field, ownField(field)])
  const shared = Object.entries(properties).filter(([, part]) => !(isPart(part) && 'x-kinds' in part))
  const at = shared.findIndex(([field]) => field === 'model') + 1
  return Object.fromEntries([...shared.slice(0, at), ...fields, ...shared.slice(at)])
}

/** What several kinds have is as the first of them has it, without a default that is not that of all. */
function ownField(field: string): Part {
  const owners = kinds.filter(({ fields }) => Object.hasOwn(fields.own, field))
  const parts = owners.flatMap(({ fields }) => fields.own[field] ?? [])
  const { title, description, default: usual, ...rest }: Part = Object.assign({}, ...parts.toReversed())
  const words = `${capital(kindWords(owners.map(({ name }) => name)))}: ${String(description)}`
  const isShared = usual !== undefined && parts.every((part) => part['default'] === usual)
  return {
    title,
    description: words,
    'x-kinds': owners.map(({ name }) => name),
    ...(isShared ? { default: usual } : {}),
    ...rest,
  }
}

/** What of the words about a field depends on the kinds there are. */
const descriptions: Readonly<Record<string, string>> = {
  kind: kinds.map(({ name, about }) => `\`${name}\`: ${about}.`).join(' '),
  manager: `The supervisor. Default: ${managersOn('macos', 'macOS')}; ${managersOn('linux', 'Linux')}.`,
  executable: `The absolute path of the server program on the host. Required, except for ${kindWords(withImage(true))} in a container.`,
  image: `${managersWords('image')}: the container image. Default for ${imageWords()}; none for ${kindWords(withImage(false))}.`,
  ready_timeout: `The seconds that a started server has until it answers on \`/health\`. A server that exits fails at once. ${defaultsBy('readyS')}`,
  completion_timeout: `The seconds that the smoke test waits for the answer to its request. The first one of a large model can take an hour. ${defaultsBy('completionS')}`,
}

function managersOn(platform: Platform, system: string): string {
  const by = grouped(({ defaults }): ManagerName => defaults.manager[platform])
  if (by.length === 1) return `\`${by[0]?.[0]}\` on ${system}`
  return `on ${system} ${by.map(([manager, of]) => `\`${manager}\` for ${kindWords(of)}`).join(' and ')}`
}

function defaultsBy(timeout: 'readyS' | 'completionS'): string {
  const by = grouped(({ defaults }) => defaults[timeout])
  return `Default: ${by.map(([seconds, of]) => `${seconds} for ${kindWords(of)}`).join(', ')}.`
}

function imageWords(): string {
  return kinds.flatMap(({ name, defaults: { image } }) => (image === undefined ? [] : `kind ${name}: \`${image}\``)).join('; ')
}

function withImage(has: boolean): readonly string[] {
  return kinds.filter(({ defaults }) => (defaults.image !== undefined) === has).map(({ name }) => name)
}

function modelWords(): string {
  const words = { gguf: 'the GGUF file, or the first of its parts', folder: 'the directory of the model' }
  return `An exact, absolute path. ${grouped(({ model }) => model)
    .map(([model, of]) => `${capital(kindWords(of))}: ${words[model]}.`)
    .join(' ')}`
}

function managersWords(field: OwnField): string {
  const of = Object.values(managers).filter(({ ownFields }) => ownFields.includes(field))
  return capital(
    counted(
      'manager',
      of.map(({ name }) => name),
    ),
  )
}

function grouped<Key>(by: (kind: ServerKind) => Key): readonly (readonly [Key, readonly string[]])[] {
  return [...Map.groupBy(kinds, by)].map(([key, of]) => [key, of.map(({ name }) => name)] as const)
}

function kindWords(of: readonly string[]): string {
  return counted('kind', of)
}

/** `kind A`; `kinds A and B`. */
function counted(noun: string, of: readonly string[]): string {
  return `${noun}${of.length === 1 ? '' : 's'} ${of.join(' and ')}`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
