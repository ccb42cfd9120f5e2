import type { AppliedRecord } from '../model/applied-record.ts'
import type { NamedService } from './manager.ts'

const fields = ['unit', 'domain', 'label', 'file', 'fileService', 'project', 'container'] as const

/** What a service was called when it was applied, as its manager names it. */
export function recordedName({ service, wanted }: Pick<AppliedRecord, 'service' | 'wanted'>): NamedService {
  const recorded = fields.flatMap((field) => (typeof wanted[field] === 'string' ? [[field, wanted[field]] as const] : []))
  return { name: service, ...Object.fromEntries(recorded) }
}
