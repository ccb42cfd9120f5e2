import { isOthersServices } from './others-services.ts'
import type { YamlEntry, YamlKey, YamlMap } from './yaml-node.ts'
import { entriesOf } from './yaml-node.ts'

/** Variables after merging; every value still knows where it stands. */
export interface MergedVars {
  readonly values: ReadonlyMap<string, YamlEntry>
  readonly services: ReadonlyMap<string, MergedService>
}

export interface MergedService {
  /** Where the most specific layer names it. */
  readonly key: YamlKey
  readonly fields: ReadonlyMap<string, YamlEntry>
}

export const noVars: MergedVars = { values: new Map(), services: new Map() }

/**
 * Lays one layer after the other over `base`: a value replaces, except `services`, where service by service and key by key the later
 * one wins. Nothing given is changed.
 */
export function mergeLayers(base: MergedVars, layers: readonly YamlMap[]): MergedVars {
  if (layers.length === 0) return base
  const values = new Map(base.values)
  const services = new Map(base.services)
  for (const layer of layers) {
    for (const [name, entry] of layer.entries) {
      if (name === 'services') mergeServices(services, entry)
      else values.set(name, entry)
    }
  }
  return { values, services }
}

function mergeServices(services: Map<string, MergedService>, layer: YamlEntry): void {
  if (isOthersServices(layer.value)) return
  for (const [name, entry] of entriesOf(layer.value)) {
    const fields = new Map(services.get(name)?.fields)
    for (const [field, value] of entriesOf(entry.value)) fields.set(field, value)
    services.set(name, { key: entry.key, fields })
  }
}
