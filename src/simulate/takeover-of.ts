import { ConvergeError } from '../errors/converge-error.ts'
import { oncePerObject } from '../lib/once-per-object.ts'
import type { ServiceState } from '../managers/manager.ts'
import { compareTakeover, type Takeover } from '../managers/takeover.ts'
import { type Observed, unknown } from '../model/observed.ts'
import { redactedText } from '../model/secret.ts'
import { renderInputOf, type ServiceCase } from './service-case.ts'

export type TakeoverSubject = Pick<ServiceCase, 'fleet' | 'service' | 'facts' | 'key' | 'manager' | 'state'>

/** What separates a definition that converge did not write from the inventory; undefined: there is no such definition. */
export const takeoverOf = oncePerObject((subject: TakeoverSubject): Observed<Takeover> | undefined => {
  const { state } = subject
  if (!state.known || !isAnothers(state.value) || state.value.definitionDigest === null) return undefined
  const { manager, service, facts } = subject
  if (manager.mayAdopt?.(service) === false) return undefined
  const input = renderInputOf(subject)
  if (input === undefined) return unknown('not-gathered', 'its key or the account on the host is unknown')
  try {
    const text = redactedText(manager.render(input).definition.content)
    return compareTakeover({ manager, input, facts }, state.value, text)
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    return unknown('unreadable', error.summary)
  }
})

/** Whether a person or another tool wrote the definition, adopted or not. */
export function isAnothers({ definition }: ServiceState): boolean {
  return definition === 'foreign' || definition === 'adopted'
}
