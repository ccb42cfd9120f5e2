import { ownMember } from '../lib/own-member.ts'
import type { DefinitionFile, HostFacts } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import type { Observed } from '../model/observed.ts'
import type { ServiceState } from './manager.ts'
import { ownershipLabelOf } from './ownership-label.ts'

/**
 * Whether a definition without our ownership label was adopted: the host's record of the service has its digest. A definition that a person
 * edits after its adoption is theirs again.
 */
export function isAdopted(service: Service, org: string, { applied }: HostFacts, definition: DefinitionFile | null): boolean {
  const record = applied.known ? ownMember(applied.value, service.name) : undefined
  if (definition === null || record?.adopted !== true) return false
  return record.mark === ownershipLabelOf(org, service.name) && record.definitionDigest === definition.digest
}

/** What the checks on the host accept beside our ownership label. */
export function adoptedDigest(state: Observed<ServiceState>): { readonly adopted?: string } {
  if (!state.known || state.value.definition !== 'adopted' || state.value.definitionDigest === null) return {}
  return { adopted: state.value.definitionDigest }
}
