import { ownMember } from '../lib/own-member.ts'
import type { ServiceState } from '../managers/manager.ts'
import { type FieldChange, recordField } from '../model/action.ts'
import type { Proposal } from '../schedule/proposal.ts'
import { shortDigest } from '../simulate/digest.ts'
import { newAction } from '../simulate/new-action.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import type { WantedFiles } from './wanted-files.ts'

/**
 * Where a service is as wanted, what a run left undone that ended before its time: the record of what was applied, and beside its files
 * copies and half-written ones, or a key file that nothing reads because the key is delivered otherwise. Anywhere else the action that is
 * due sees to it.
 */
export function withTidying(subject: ServiceCase, state: ServiceState, { files }: WantedFiles, proposal: Proposal): Proposal {
  const asWanted = proposal.findings.length === 0 && proposal.actions.every((action) => action.kind === 'noop')
  const rest = [...needlessKeyFile(subject), ...leftoverChanges(subject)]
  const record = recordChange(subject, files.digest)
  const changes = [...rest, ...record]
  if (!asWanted) return withKeyFileOfStop(subject, proposal)
  if (changes.length === 0) return proposal
  const tidy = newAction(subject, {
    kind: 'update',
    reason: `It is as wanted; ${[...(rest.length === 0 ? [] : [besideWords]), ...(record.length === 0 ? [] : [recordWords])].join(', and ')}.`,
    changes,
    reliesOn: { definition_digest: state.definitionDigest, process: state.process },
  })
  return { actions: [tidy], findings: [] }
}

/** A write, a start or a restart takes a needless key file along; where a stop is all there is to do, that does. */
function withKeyFileOfStop(subject: ServiceCase, proposal: Proposal): Proposal {
  const { actions } = proposal
  const last = actions.at(-1)
  if (last?.kind !== 'stop' || last.momentary === true) return proposal
  return { ...proposal, actions: [...actions.slice(0, -1), { ...last, changes: [...last.changes, ...needlessKeyFile(subject)] }] }
}

const besideWords = 'beside its files lies what an earlier run left and nothing reads'
const recordWords = 'the host has no record that just this was applied'

/**
 * The record is the last that a run writes of a service, so that of one that was cut it is missing, or still that of what was wanted
 * before. Where the records cannot be read nothing is said of them.
 */
function recordChange({ facts: { applied }, service }: ServiceCase, digest: string): readonly FieldChange[] {
  if (!applied.known) return []
  const recorded = ownMember(applied.value, service.name)?.definitionDigest
  if (recorded === digest) return []
  return [
    { field: recordField, from: recorded === undefined ? null : shortDigest(recorded), to: shortDigest(digest), effect: 'none' },
  ]
}

/** What the host remembers of a service that is to be gone. */
export function recordLeft({ facts: { applied }, service }: ServiceCase): readonly FieldChange[] {
  const record = applied.known ? ownMember(applied.value, service.name) : undefined
  return record === undefined
    ? []
    : [{ field: recordField, from: shortDigest(record.definitionDigest), to: null, effect: 'none' }]
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
