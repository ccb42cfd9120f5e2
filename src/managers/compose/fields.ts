import { isObject } from '../../lib/json-object.ts'
import { type Fields, flagFields } from '../flag-fields.ts'
import { parseYaml } from './compose-yaml.ts'

/** A compose file, field by field; undefined: not one. Several services are prefixed with their names. */
export function composeFields(content: string): Fields | undefined {
  const services = member(parseYaml(content), 'services')
  if (!isObject(services)) return undefined
  const entries = Object.entries(services)
  return collect(entries.map(([name, service]) => flatten(entries.length === 1 ? '' : name, service)))
}

function flatten(path: string, node: unknown): Fields {
  const field = path.split('.').at(-1)
  if (field === 'labels') return {}
  if (field === 'command' && isWords(node)) return flagFields(path, node.map(show))
  if (Array.isArray(node)) return collect(node.map((item: unknown, index) => flatten(`${path}.${index}`, item)))
  if (isObject(node))
    return collect(Object.entries(node).map(([key, value]) => flatten(path === '' ? key : `${path}.${key}`, value)))
  return { [path]: show(node) }
}

function collect(parts: readonly Fields[]): Fields {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)))
}

function show(leaf: unknown): string {
  return typeof leaf === 'string' ? leaf.replaceAll('$$', '$') : JSON.stringify(leaf)
}

function isWords(node: unknown): node is readonly unknown[] {
  return Array.isArray(node)
}

function member(node: unknown, key: string): unknown {
  return isObject(node) ? node[key] : undefined
}
