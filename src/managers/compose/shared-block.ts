import { sha256 } from '../../lib/digest.ts'
import { isObject } from '../../lib/json-object.ts'
import { mapStrings } from '../../lib/map-strings.ts'
import { ownMember } from '../../lib/own-member.ts'
import { anchorsIn, findEntry } from '../../lib/yaml-edit/locate.ts'
import { type EntryLines, entryLines } from '../../lib/yaml-edit/replace-entry.ts'
import { type EditFault, readYaml } from '../../lib/yaml-edit/yaml-file.ts'
import type { DefinitionFile } from '../../model/facts.ts'
import type { NamedService } from '../manager.ts'
import { parseYaml } from './compose-yaml.ts'
import { serviceKey } from './names.ts'

/**
 * A redacted text as YAML that can be parsed, and back: `KEY: ***` would be an alias. Positions stay the same.
 */
export function veiled(text: string): string {
  return text.replaceAll('***', veil)
}

export function unveiled(text: string): string {
  return text.replaceAll(veil, '***')
}

/** Of private use, so it is in no file. */
const veil = '\uE000\uE000\uE000'

/** The lines of one service in a compose file; undefined: it has no such service. */
export function blockIn(content: string, service: NamedService): EntryLines | EditFault | undefined {
  return entryLines(veiled(content), pathOf(service))
}

export function pathOf(service: NamedService): readonly [string, string] {
  return ['services', serviceKey(service)]
}

/** Line ends are those of the file. */
export function blockText(content: string, { start, end }: Pick<EntryLines, 'start' | 'end'>): string {
  const text = content.slice(start, end).replaceAll('\r\n', '\n')
  return text.endsWith('\n') ? text : `${text}\n`
}

/** One service of a compose file as data, with `<<` and aliases resolved; undefined: none, or the file is no YAML. */
export function blockValue(content: string, service: NamedService): Readonly<Record<string, unknown>> | undefined {
  const root = valuesOf(content)
  const services = isObject(root) ? root['services'] : undefined
  const block = isObject(services) ? ownMember(services, serviceKey(service)) : undefined
  return isObject(block) ? block : undefined
}

/** A compose file as data, with `<<` and aliases resolved; undefined: no YAML. */
export function valuesOf(content: string): unknown {
  try {
    return mapStrings(parseYaml(veiled(content)), unveiled)
  } catch (error) {
    // A value that contains itself.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Names of what a block has in common with other parts of its file: `&gpu`, `*defaults`. */
export function tiesOf(content: string, service: NamedService): readonly string[] {
  const file = readYaml(veiled(content))
  if ('why' in file) return []
  const found = findEntry(file, pathOf(service))
  return 'why' in found || found.pair === undefined ? [] : anchorsIn(found.pair)
}

/**
 * The part of a user's own file that is the definition of a service, with its digest and its ownership label. If the service is not in lines of
 * its own, the whole file is the definition, without a label.
 */
export function ownPart(service: NamedService, file: DefinitionFile, ownershipLabel: string): DefinitionFile | null {
  const { mark: _first, ...rest } = file
  const block = blockIn(file.content, service)
  if (block === undefined) return null
  if ('why' in block) return { ...rest, mark: null }
  const text = blockText(file.content, block)
  const isMarked = text.split('\n').some((line) => line.trim() === `# converge: managed ${ownershipLabel}`)
  return { ...rest, digest: sha256(text), mark: isMarked ? ownershipLabel : null }
}
