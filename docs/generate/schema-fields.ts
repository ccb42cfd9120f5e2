import { sentence } from '../../src/lib/sentence.ts'
import { code, prose, table } from './markdown.ts'

/** A part of a JSON schema. */
export interface Part {
  readonly [keyword: string]: unknown
}

export interface Surroundings {
  readonly schema: Part
  /** By definition: a link to where it is described. */
  readonly links: Readonly<Record<string, string>>
  readonly keep: (field: string) => boolean
}

interface Field {
  readonly name: string
  readonly part: Part
  readonly isRequired: boolean
}

/** One row per field; fields within fields have their path for a name. */
export function fieldsTable(part: Part, around: Surroundings): string {
  const fields = fieldsOf(part).filter(({ name }) => around.keep(name))
  const rows = fields.map(({ name, part: field, isRequired }) => {
    const owners = ownersOf(field)
    return [code(name), typeOf(field, around), defaultOf(field, isRequired), owners, wordsOf(field, owners, around)]
  })
  const head = ['Field', 'Type or values', 'Default', 'Only for', 'Description']
  const used = head.map((_, column) => rows.some((row) => row[column] !== ''))
  const shownOf = (row: readonly string[]) => row.filter((_, column) => used[column])
  return table(shownOf(head), rows.map(shownOf))
}

export function partIn(schema: Part, name: string): Part {
  return recordOf(recordOf(schema['$defs'])[name])
}

function fieldsOf(part: Part, prefix = ''): readonly Field[] {
  const required = listOf(part['required'])
  const own = Object.entries(recordOf(part['properties'])).flatMap(([name, value]) => {
    const field = recordOf(value)
    const path = `${prefix}${name}`
    return [{ name: path, part: field, isRequired: required.includes(name) }, ...fieldsOf(field, `${path}.`)]
  })
  // Each branch is another way of saying it: none of its fields is required of the whole.
  const branches = listOf(part['anyOf']).flatMap((branch) => fieldsOf(recordOf(branch), prefix))
  return [...own, ...branches.map((field) => ({ ...field, isRequired: false }))]
}

/** The kinds that have a field. */
function ownersOf(part: Part): string {
  return [
    ...listOf(part['x-kinds']).map((kind) => `kind ${String(kind)}`),
    ...listOf(part['x-managers']).map((manager) => `manager ${String(manager)}`),
  ].join(', ')
}

/** Of what is described elsewhere the first sentence, and of whom it is for nothing that stands beside it. */
function wordsOf(part: Part, owners: string, { schema, links }: Surroundings): string {
  const own = part['description']
  const words = String(own ?? definitionOf(part, schema)['description'])
  if (own === undefined && links[nameOf(part)] !== undefined) return prose(words.replace(/(?<=\.) .*$/s, ''))
  return prose(owners === '' ? words : sentence(words.replace(/^(?:Kinds?|Managers?) [^:.]*: /, '')))
}

function defaultOf(part: Part, isRequired: boolean): string {
  if ('default' in part) return code(typeof part['default'] === 'string' ? part['default'] : JSON.stringify(part['default']))
  return isRequired ? '*required*' : ''
}

function typeOf(part: Part, around: Surroundings): string {
  if (part['$ref'] !== undefined) return referenceType(part, around)
  if (Array.isArray(part['enum'])) return part['enum'].map((value) => code(String(value))).join(', ')
  if (Array.isArray(part['anyOf'])) return branchesType(part['anyOf'].map(recordOf), around)
  return joined(
    [part['type']]
      .flat()
      .filter((type) => type !== 'null')
      .map((type) => plainType(String(type), part, around)),
  )
}

/** A list whose item can also stand alone is shortened. */
function branchesType(branches: readonly Part[], around: Surroundings): string {
  const several = branches.filter(({ type }) => type !== 'array').map((branch) => typeOf(branch, around))
  const lists = branches.filter(({ type }) => type === 'array').map((branch) => typeOf(branch, around))
  const these = `list of ${joined(several)}`
  return joined([...several, ...lists.map((list) => (several.length > 1 && list === these ? 'list of these' : list))])
}

function plainType(type: string, part: Part, around: Surroundings): string {
  switch (type) {
    case 'array':
      return `list of ${itemType(recordOf(part['items']), around)}`
    case 'object':
      return 'mapping'
    case 'boolean':
      return '`true`, `false`'
    case 'string':
      return 'text'
    case 'integer':
      return `whole number${rangeOf(part)}`
    default:
      return `${type}${rangeOf(part)}`
  }
}

function itemType(part: Part, around: Surroundings): string {
  return part['$ref'] === undefined ? typeOf(part, around) : referenceType(part, around, 's')
}

/** A link to where it is described, or what a small definition is called. */
function referenceType(part: Part, { schema, links }: Surroundings, ending = ''): string {
  const target = definitionOf(part, schema)
  const title = String(target['title'])
  const words = /^[A-Z][a-z ]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title
  const link = links[nameOf(part)]
  if (link !== undefined) return link
  if (Array.isArray(target['type'])) return typeOf(target, { schema, links, keep: () => true })
  return words === 'text' ? words : `${words}${ending}${rangeOf(target)}`
}

function rangeOf(part: Part): string {
  const [least, most, above] = ['minimum', 'maximum', 'exclusiveMinimum'].map((keyword) => JSON.stringify(part[keyword]))
  if (above !== undefined) return ` (above ${above})`
  if (least === undefined) return ''
  return most === undefined ? ` (${least} or more)` : ` (${least} to ${most})`
}

function definitionOf(part: Part, schema: Part): Part {
  return part['$ref'] === undefined ? {} : partIn(schema, nameOf(part))
}

function nameOf(part: Part): string {
  return String(part['$ref']).replace('#/$defs/', '')
}

/** `a, b or c`. */
function joined(types: readonly string[]): string {
  const [last = '', ...rest] = [...new Set(types)].toReversed()
  return rest.length === 0 ? last : `${rest.toReversed().join(', ')} or ${last}`
}

export function recordOf(value: unknown): Part {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
