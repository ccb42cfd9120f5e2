import type { ServiceState } from '../managers/manager.ts'
import type { FieldChange } from '../model/action.ts'
import { newAction } from './new-action.ts'
import type { Proposal } from './proposal.ts'
import type { ServiceCase } from './service-case.ts'

/**
 * Where a service is as wanted, what a run left beside its files that ended before its time: copies and half-written files, and a
 * key file that nothing reads because the key is delivered otherwise. Anywhere else the action that is due takes it away.
 */
export function withTidying(subject: ServiceCase, state: ServiceState, proposal: Proposal): Proposal {
  const asWanted = proposal.findings.length === 0 && proposal.actions.every((action) => action.kind === 'noop')
  const changes = [...needlessKeyFile(subject), ...leftoverChanges(subject)]
  if (!asWanted || changes.length === 0) return proposal
  const tidy = newAction(subject, {
    kind: 'update',
    reason: 'It is as wanted; beside its files lies what an earlier run left and nothing reads.',
    changes,
    reliesOn: { definition_digest: state.definitionDigest, process: state.process },
  })
  return { actions: [tidy], findings: [] }
}

/** A place that could not be looked at is left to the next plan. */
export function leftoverChanges({ facts, question }: ServiceCase): readonly FieldChange[] {
  return [...question.definitions, ...question.keyFiles].flatMap((asked) => {
    const seen = facts.leftovers[asked]
    return seen?.known === true
      ? seen.value.map((path) => ({ field: 'leftover', from: path, to: null, effect: 'none' as const }))
      : []
  })
}

/** Its place says whose it is: converge's own folder. */
function needlessKeyFile({ facts, question, service, key }: ServiceCase): readonly FieldChange[] {
  if (key !== undefined && service.keyDelivery === 'file') return []
  return question.keyFiles.flatMap((path) => {
    const seen = facts.keyFiles[path]
    return seen?.known === true && seen.value !== null
      ? [{ field: 'key_file', from: '***', to: null, effect: 'none' as const }]
      : []
  })
}
