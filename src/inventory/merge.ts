import { isOthersServices } from './others-services.ts'
import type { YamlEntry, YamlKey, YamlMap } from './yaml-node.ts'
import { entriesOf } from './yaml-node.ts'

/** Merged variables; every value keeps its position. */
export interface MergedVars {
  readonly values: ReadonlyMap<string, YamlEntry>
  readonly services: ReadonlyMap<string, MergedService>
}

export interface MergedService {
  /** The key in the most specific layer. */
  readonly key: YamlKey
  readonly fields: ReadonlyMap<string, YamlEntry>
}

export const noVars: MergedVars = { values: new Map(), services: new Map() }

/**
 * Merges layers over `base`. A later value replaces an earlier one; `services` are merged service by service and key by key. The arguments are not
 * changed.
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
