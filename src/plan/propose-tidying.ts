import { ownMember } from '../lib/own-member.ts'
import type { ServiceState } from '../managers/manager.ts'
import { type FieldChange, recordField } from '../model/action.ts'
import type { Proposal } from '../schedule/proposal.ts'
import { shortDigest } from '../simulate/digest.ts'
import { newAction } from '../simulate/new-action.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import type { DesiredFiles } from './desired-files.ts'

/**
 * Tidies up after an interrupted run if the service is in its desired state: a missing record, copies and half-written files beside its files, or
 * an unused key file. Otherwise the planned action does that.
 */
export function withTidying(subject: ServiceCase, state: ServiceState, { files }: DesiredFiles, proposal: Proposal): Proposal {
  const isAsDesired = proposal.findings.length === 0 && proposal.actions.every((action) => action.kind === 'noop')
  const rest = [...unusedKeyFile(subject), ...leftoverChanges(subject)]
  const record = recordChange(subject, files.digest)
  const changes = [...rest, ...record]
  if (!isAsDesired) return withKeyFileOfStop(subject, proposal)
  if (changes.length === 0) return proposal
  const tidy = newAction(subject, {
    kind: 'update',
    reason: `In its desired state, but ${[...(rest.length === 0 ? [] : [besideWords]), ...(record.length === 0 ? [] : [recordWords])].join(', and ')}.`,
    changes,
    reliesOn: { definition_digest: state.definitionDigest, process: state.process },
  })
  return { actions: [tidy], findings: [] }
}

/** A write, a start or a restart also removes an unused key file. If a stop is the only action, the stop does. */
function withKeyFileOfStop(subject: ServiceCase, proposal: Proposal): Proposal {
  const { actions } = proposal
  const last = actions.at(-1)
  if (last?.kind !== 'stop' || last.momentary === true) return proposal
  return { ...proposal, actions: [...actions.slice(0, -1), { ...last, changes: [...last.changes, ...unusedKeyFile(subject)] }] }
}

const besideWords = 'an earlier run left unused files behind'
const recordWords = 'the host has no up-to-date record of it'

/**
 * A run writes the record last. So after an interrupted run it is missing, or still describes the previous definition. If the records cannot be
 * read, they do not count.
 */
function recordChange({ facts: { applied }, service }: ServiceCase, digest: string): readonly FieldChange[] {
  if (!applied.known) return []
  const recorded = ownMember(applied.value, service.name)?.definitionDigest
  if (recorded === digest) return []
  return [
    { field: recordField, from: recorded === undefined ? null : shortDigest(recorded), to: shortDigest(digest), effect: 'none' },
  ]
}

/** The record of a service that is to be absent. */
export function recordLeft({ facts: { applied }, service }: ServiceCase): readonly FieldChange[] {
  const record = applied.known ? ownMember(applied.value, service.name) : undefined
  return record === undefined
    ? []
    : [{ field: recordField, from: shortDigest(record.definitionDigest), to: null, effect: 'none' }]
}

/** A folder that could not be read is left to the next plan. */
export function leftoverChanges({ facts, question }: ServiceCase): readonly FieldChange[] {
  return [...question.definitions, ...question.keyFiles].flatMap((asked) => {
    const seen = facts.leftovers[asked]
    return seen?.known === true
      ? seen.value.map((path) => ({ field: 'leftover', from: path, to: null, effect: 'none' as const }))
      : []
  })
}

/** A key file is ours because it is in converge's own folder. */
function unusedKeyFile({ facts, question, service, key }: ServiceCase): readonly FieldChange[] {
  if (key !== undefined && service.keyDelivery === 'file') return []
  return question.keyFiles.flatMap((path) => {
    const seen = facts.keyFiles[path]
    return seen?.known === true && seen.value !== null
      ? [{ field: 'key_file', from: '***', to: null, effect: 'none' as const }]
      : []
  })
}
