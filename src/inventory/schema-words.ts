import type { ErrorObject } from 'ajv'
import type { ErrorCode } from '../errors/catalogue.ts'
import { didYouMean } from './did-you-mean.ts'
import type { LocatedValue } from './find-value.ts'
import type { Fault } from './schema-faults.ts'
import { entriesOf, type YamlNode } from './yaml-node.ts'

interface Words {
  readonly code: ErrorCode
  readonly message: string
}

export function wordsForError(error: ErrorObject, found: LocatedValue): Words {
  const { keyword, params } = error
  if (found.node.type === 'scalar' && found.node.tag === 'vault')
    return { code: 'INPUT.VALUE', message: vaultElsewhere(found.name) }
  if (found.node.type === 'scalar' && found.node.tag === undefined && isTemplate(found.node.value))
    return {
      code: 'INPUT.TEMPLATE',
      message: `${found.name} is a template, but converge evaluates no templates. Write the value itself.`,
    }
  switch (keyword) {
    case 'additionalProperties':
      return { code: 'INPUT.UNKNOWN_KEY', message: unknownKey(String(params['additionalProperty']), error) }
    case 'required':
      return { code: 'INPUT.MISSING', message: `${capital(nounOf(error))} needs \`${String(params['missingProperty'])}\`.` }
    case 'type':
      return { code: 'INPUT.VALUE', message: wrongType(typesOf(error), found, typeHint(typesOf(error), found.node)) }
    case 'enum':
      return { code: 'INPUT.VALUE', message: notOneOf(params['allowedValues'], found) }
    case 'pattern':
    case 'format':
      return { code: 'INPUT.VALUE', message: wrongForm(error, found) }
    default:
      return { code: 'INPUT.VALUE', message: outOfBounds(error, found) }
  }
}

/** The message for an encrypted value in the wrong place. */
export function vaultElsewhere(name: string): string {
  return `${name} is a \`!vault\` value, but converge decrypts those only for \`api_key\`, \`ansible_become_password\`, \`webhook\` and the \`token\` of a model's source.`
}

export function wordsForName(fault: Fault & { sort: 'name' }): string {
  return `\`${fault.name}\` cannot be a name here. ${fault.rule}`
}

export function wordsForChoice(fault: Fault & { sort: 'choice' }, found: LocatedValue): Words {
  const { node, name } = found
  if (fault.noun === secretNoun && node.type === 'scalar' && node.value !== null) {
    if (isTemplate(node.value))
      return { code: 'INPUT.TEMPLATE', message: `${name} is a template, but converge evaluates no templates. ${useReference}` }
    return { code: 'INPUT.PLAIN_SECRET', message: `${name} contains the secret itself. ${insteadOfSecret}` }
  }
  if (fault.options.length === 0) return { code: 'INPUT.VALUE', message: wrongType(fault.types, found, '') }
  const unknown = [...entriesOf(node).keys()].filter((key) => !fault.options.includes(key))
  const meant = unknown.map((key) => ` \`${key}\` is not one of them.${didYouMean(key, fault.options)}`).join('')
  return { code: 'INPUT.VALUE', message: `${name} takes exactly one of ${list(fault.options.map(quote), 'and')}.${meant}` }
}

const secretNoun = "a secret's reference"

function isTemplate(value: unknown): boolean {
  return /\{\{|\{%/u.test(String(value))
}

const useReference = 'Use a reference: `{ env: NAME }`, `{ file: PATH }`, `{ command: [PROGRAM, …] }`, or a `!vault` value.'

/** The advice for a secret in plain text. */
export const insteadOfSecret = `Inventories are read, copied and committed, so they must not contain secrets. ${useReference}`

function unknownKey(key: string, error: ErrorObject): string {
  const known = Object.keys(error.parentSchema?.['properties'] ?? {})
  const meant = didYouMean(key, known)
  const others =
    nounOf(error).includes('variables') && meant === '' ? ' If it belongs to another tool, name it in `fleet.ignore_vars`.' : ''
  return `\`${key}\` is not a key of ${nounOf(error)}.${meant}${others}`
}

function typesOf(error: ErrorObject): readonly string[] {
  return [error.params['type']].flat().map(String)
}

function wrongType(types: readonly string[], found: LocatedValue, hint: string): string {
  const wanted = list([...new Set(types)].filter((type) => type !== 'null').map(typeWords), 'or')
  if (found.node.type === 'scalar' && found.node.value === null) return `${found.name} has no value; it must be ${wanted}.`
  return `${found.name} must be ${wanted}, but it is ${describe(found.node)}.${hint}`
}

function typeWords(type: string): string {
  const words: Readonly<Record<string, string>> = {
    integer: 'a whole number',
    number: 'a number',
    string: 'text',
    boolean: '`true` or `false`',
    object: 'a map of `key: value`',
    array: 'a list',
  }
  return words[type] ?? type
}

function typeHint(types: readonly string[], node: YamlNode): string {
  if (types.includes('object') && node.type === 'list') return ' Write `name:` lines instead of `- name`.'
  if (types.includes('array') && node.type === 'map') return ' Write `- ` in front of each item.'
  return node.type === 'scalar' ? scalarHint(types, node.value) : ''
}

function scalarHint(types: readonly string[], value: unknown): string {
  const isText = typeof value === 'string'
  const truth = types.includes('boolean') ? truthWords.get(String(value).toLowerCase()) : undefined
  if (truth !== undefined) return ` ${isText ? 'Since YAML 1.2 that is text; write' : 'Write'} \`${String(truth)}\`.`
  if (types.some((type) => type === 'integer' || type === 'number') && isText && isNumber(value)) return ' Remove the quotes.'
  return types.includes('string') && !isText ? ' Put it in quotes, so that it stays as written.' : ''
}

const truthWords: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['on', true],
  ['true', true],
  ['1', true],
  ['no', false],
  ['off', false],
  ['false', false],
  ['0', false],
])

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text))
}

function notOneOf(allowed: unknown, found: LocatedValue): string {
  const values = Array.isArray(allowed) ? allowed.map(String) : []
  if (found.node.type === 'scalar' && found.node.value === null) {
    return `${found.name} has no value; it must be one of ${list(values.map(quote), 'or')}.`
  }
  const given = found.node.type === 'scalar' ? String(found.node.value) : ''
  return `${found.name} is ${describe(found.node)}; it must be one of ${list(values.map(quote), 'or')}.${didYouMean(given, values)}`
}

function wrongForm(error: ErrorObject, found: LocatedValue): string {
  const rule = error.parentSchema?.['patternErrorMessage']
  return `${found.name} has the wrong form. ${typeof rule === 'string' ? rule : `It ${error.message ?? 'does not fit'}.`}`
}

function outOfBounds(error: ErrorObject, found: LocatedValue): string {
  const { keyword, params } = error
  const limit = String(params['limit'])
  switch (keyword) {
    case 'minimum':
      return `${found.name} is ${describe(found.node)}; the minimum is ${limit}.`
    case 'maximum':
      return `${found.name} is ${describe(found.node)}; the maximum is ${limit}.`
    case 'exclusiveMinimum':
      return `${found.name} is ${describe(found.node)}; it must be more than ${limit}.`
    case 'minItems':
      return `${found.name} is empty; it needs at least ${limit === '1' ? 'one item' : `${limit} items`}.`
    case 'minProperties':
      return `${found.name} is empty; it needs at least one entry.`
    case 'uniqueItems':
      return `${found.name} contains the same item twice: items ${Number(params['j']) + 1} and ${Number(params['i']) + 1}.`
    default:
      return `${found.name} ${error.message ?? 'is not valid'}.`
  }
}

/** Short, and without the value if that may be a secret. */
function describe(node: YamlNode): string {
  if (node.type === 'map') return 'a map'
  if (node.type === 'list') return 'a list'
  if (node.tag === 'vault') return 'a `!vault` value'
  const text = String(node.value)
  if (typeof node.value === 'boolean') return quote(text)
  if (isHidden(node) || text.length > 60 || text.includes('\n')) return typeof node.value === 'number' ? 'a number' : 'text'
  return `${typeof node.value === 'number' ? 'the number' : 'the text'} ${quote(text)}`
}

function isHidden(node: YamlNode): boolean {
  return node.source.hidden.some((span) => span.start <= node.start && node.end <= span.end)
}

function nounOf(error: ErrorObject): string {
  const noun: unknown = error.parentSchema?.['x-noun']
  return typeof noun === 'string' ? noun : 'this'
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function quote(text: string): string {
  return `\`${text}\``
}

function list(words: readonly string[], last: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1) ?? ''}`
}
