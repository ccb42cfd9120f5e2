import type { Vars } from '../generated/inventory-file.ts'
import type { MergedService } from './merge.ts'
import type { MergedHost } from './resolve-vars.ts'
import type { WrittenFields } from './service-to-check.ts'
import { plainEntries } from './yaml-node.ts'

export type WrittenHost = NonNullable<Vars>

/** The variables of a host as the schema types them; `services` are apart. The schema was checked file by file before. */
export function writtenHost(host: MergedHost): WrittenHost {
  return plainEntries(host.vars.values)
}

export function writtenService(service: MergedService): WrittenFields {
  return plainEntries(service.fields)
}
