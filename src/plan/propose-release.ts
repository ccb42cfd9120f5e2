import type { ServiceState } from '../managers/manager.ts'
import { type FieldChange, markField } from '../model/action.ts'
import { noop, type Proposal } from '../schedule/proposal.ts'
import { newAction } from '../simulate/new-action.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import { recordLeft } from './propose-tidying.ts'

/** For `state: unmanaged`: the mark and the record of converge go; the definition and its server stay as they are. */
export function proposeRelease(subject: ServiceCase): Proposal {
  const state = subject.state.known ? subject.state.value : undefined
  const changes = [...markOf(state), ...recordLeft(subject)]
  if (changes.length === 0) return noop(subject, 'Unmanaged, as desired.')
  const release = newAction(subject, {
    kind: 'release',
    reason: 'The inventory says state: unmanaged. converge forgets the service; its definition and its server stay.',
    changes,
    reliesOn: state === undefined ? {} : { definition_digest: state.definitionDigest },
  })
  return { actions: [release], findings: [] }
}

function markOf(state: ServiceState | undefined): readonly FieldChange[] {
  return state?.definition === 'ours' && state.definitionDigest !== null
    ? [{ field: markField, from: 'converge', to: null, effect: 'none' }]
    : []
}
