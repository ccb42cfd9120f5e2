import type { Check } from '../../model/step.ts'
import { accountReads } from './checks.ts'
import { accountOf, keyFilePath } from './definition.ts'
import { domainOf } from './domain.ts'
import type { Job } from './job.ts'

/** A daemon opens its key as its own account. */
export function keyGuard({ input }: Pick<Job, 'input'>): readonly Check[] {
  const { service, key, layout } = input
  const reads = domainOf(service) === 'system' && key !== undefined && service.keyDelivery === 'file'
  return reads ? [accountReads(accountOf(service, layout), keyFilePath(input))] : []
}
