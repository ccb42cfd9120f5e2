import type { ErrorCode } from '../errors/catalogue.ts'
import type { Service as WrittenService } from '../generated/inventory-file.ts'
import type { Platform } from '../model/names.ts'
import type { HostFinding } from './issues.ts'
import type { MergedService } from './merge.ts'
import type { SourceRange } from './source-text.ts'

export type WrittenFields = NonNullable<WrittenService>

/** A merged service, for the checks. */
export interface ServiceToCheck {
  readonly host: string
  readonly name: string
  readonly platform: Platform | undefined
  readonly merged: MergedService
  readonly written: WrittenFields
}

/** The position of a field; if it is missing, that of the service. */
export function rangeOf({ merged }: ServiceToCheck, field: string): SourceRange {
  return merged.fields.get(field)?.key ?? merged.key
}

export function error(
  service: ServiceToCheck,
  range: SourceRange,
  code: ErrorCode,
  words: (whom: string) => string,
): HostFinding {
  return { host: service.host, range, severity: 'error', code, words }
}
