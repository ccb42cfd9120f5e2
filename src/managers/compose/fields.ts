import { isObject } from '../../lib/json-object.ts'
import { folderOfPath } from '../../lib/posix-path.ts'
import type { Service } from '../../model/fleet.ts'
import { type Fields, flagFields } from '../flag-fields.ts'
import { parseYaml } from './compose-yaml.ts'
import { meaningOf, withOwnEntrypoint } from './meaning.ts'
import { partsOfBlock } from './parts-of-block.ts'
import { ownershipLabelKey } from './project.ts'
import { blockValue, tiesOf } from './shared-block.ts'

/**
 * A compose file, field by field; undefined: not one. Several services are prefixed with their names. Of a user's own file the one service, as
 * it is seen from the host; undefined: it is not there.
 */
export function composeFields(content: string, service?: Service): Fields | undefined {
  if (service?.file !== undefined) return fieldsOfBlock(content, { ...service, file: service.file })
  const services = member(parseYaml(content), 'services')
  if (!isObject(services)) return undefined
  const entries = Object.entries(services)
  return collect(entries.map(([name, block]) => flatten(entries.length === 1 ? '' : name, block)))
}

/** How to compare a compose file with one of converge: a block of a user's own file as it is seen from the host, unless converge wrote it too. */
export function readerFor(from: string | null, service: Service): (content: string) => Fields | undefined {
  const before = from === null || service.file === undefined ? undefined : blockValue(from, service)
  const labels = before?.['labels']
  if (!isObject(labels) || labels[ownershipLabelKey] === undefined) return (content) => composeFields(content, service)
  return (content) => {
    const block = blockValue(content, service)
    return block === undefined ? undefined : flatten('', block)
  }
}

function fieldsOfBlock(content: string, service: Service & { readonly file: string }): Fields | undefined {
  const block = blockValue(content, service)
  if (block === undefined) return undefined
  const parts = partsOfBlock(block, folderOfPath(service.file))
  const ties = Object.fromEntries(tiesOf(content, service).map((name) => [name, '']))
  return { ...meaningOf(withOwnEntrypoint(parts, service), service.kind), ...ties }
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
