import { digestOf } from '../lib/digest.ts'
import { seenContainer } from '../managers/compose/seen.ts'
import { inContainer } from '../managers/traits.ts'
import type { Preconditions } from '../model/action.ts'
import type { ServiceCase } from './service-case.ts'

/**
 * What an action relies on besides its definition and its process: the model files that a server would load, and the observed container,
 * running or not.
 */
export function seenParts(
  { facts, service }: Pick<ServiceCase, 'facts' | 'service'>,
  { starts }: { readonly starts: boolean },
): Pick<Preconditions, 'model' | 'container'> {
  const model = facts.models[service.model.path]
  const seen = starts && model?.known === true && model.value !== null ? { model: digestOf(model.value.files) } : {}
  if (!inContainer(service) || !facts.containers.known) return seen
  const container = seenContainer(service, facts)
  return { ...seen, container: (container.known ? container.value?.id : undefined) ?? null }
}
