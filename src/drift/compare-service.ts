import { ConvergeError } from '../errors/converge-error.ts'
import { isManagedService } from '../inventory/is-managed-service.ts'
import { ownMember } from '../lib/own-member.ts'
import type { ServiceState } from '../managers/manager.ts'
import { type FieldChange, recordField } from '../model/action.ts'
import type { DriftFinding, NotCompared, TwoWay } from '../model/drift.ts'
import { overrideField } from '../model/operation.ts'
import type { Refusal } from '../model/refusal.ts'
import { diffService } from '../plan/diff-service.ts'
import { evaluateService } from '../plan/evaluate-service.ts'
import { proposeStopAlone } from '../plan/propose-stopped.ts'
import type { Approvals } from '../policy/approvals.ts'
import type { Proposal } from '../schedule/proposal.ts'
import { digestOfDefinition, shortDigest } from '../simulate/digest.ts'
import { openCase, renderInputOf, type ServiceCase } from '../simulate/service-case.ts'
import { type RecordedService, recordedService } from './recorded-service.ts'
import { compareThreeWays, compareTwoWays } from './three-ways.ts'

/** The findings about one service. */
export interface ServiceDrift {
  readonly findings: readonly DriftFinding[]
  readonly notCompared: readonly NotCompared[]
  /** There was no record to compare with. */
  readonly twoWay?: TwoWay
}

/**
 * Compares one service three ways. The desired and the last applied service are each compared with the host by the planner. So nothing is planned
 * for a service without a finding, except perhaps that its record is written.
 */
export function compareService(subject: ServiceCase, approvals: Approvals): ServiceDrift {
  const { service, facts, fleet, state } = subject
  const { proposal, uncompared } = evaluateService(subject, approvals)
  const desired = changesOf(proposal)
  const notCompared = uncompared.map((refusal) => notComparedFor(service.name, refusal))
  if (!state.known) return { findings: [], notCompared }
  if (proposal.actions.some(({ kind }) => kind === 'adopt')) return { findings: [notAdopted(subject, state.value)], notCompared }
  const before = recordedService(service, fleet.settings.org, facts)
  const recorded = 'why' in before ? before : recordedChanges(subject, state.value, before, uncompared.length > 0)
  if ('why' in recorded) {
    // An absent service that was never there has nothing to report.
    const idle = !isManagedService(service) && desired.length === 0
    const twoWay = idle ? {} : { twoWay: { service: service.name, why: recorded.why } }
    const findings = [...withoutRecord(subject, state.value, desired, recorded.why), ...missingRecord(service.name, proposal)]
    return { findings, notCompared, ...twoWay }
  }
  return { findings: compareThreeWays(service.name, { desired, ...recorded }), notCompared }
}

/** If the service is not on the host, nothing was changed there, so the differences are pending. */
function withoutRecord(
  { service }: ServiceCase,
  state: ServiceState,
  desired: readonly FieldChange[],
  why: string,
): readonly DriftFinding[] {
  if (state.definition === 'foreign') return desired.length === 0 ? [] : [foreignPlace(service.name, state)]
  const untouched = state.definition === 'none' && state.activity === 'not-loaded'
  const note = `${why}, so whether the inventory or the host changed is unknown`
  return compareTwoWays(service.name, desired, { as: untouched ? 'pending' : 'drift', note })
}

/** The server is as desired; its definition is a person's own, which converge has not taken over, or which was edited since. */
function notAdopted(
  { service, facts: { applied } }: ServiceCase,
  { definitionPath, definitionDigest }: ServiceState,
): DriftFinding {
  const record = applied.known ? ownMember(applied.value, service.name) : undefined
  const actual = `${definitionPath}, ${short(definitionDigest) ?? ''}`
  const about = { service: service.name, field: 'definition', desired: 'adopted', actual } as const
  return record?.adopted === true
    ? {
        ...about,
        class: 'drift',
        recorded: short(record.definitionDigest),
        note: 'edited since it was adopted; the next apply adopts it again',
      }
    : { ...about, class: 'pending', recorded: null, note: 'the next apply adopts it as it is' }
}

/** Without the record, who changed what is unknown. So a missing record is drift itself. */
function missingRecord(service: string, { actions }: Proposal): readonly DriftFinding[] {
  return actions
    .flatMap(({ changes }) => changes)
    .filter(({ field, from }) => field === recordField && from === null)
    .map(({ field, to }) => ({
      service,
      field,
      class: 'drift',
      desired: to,
      recorded: null,
      actual: null,
      note: 'the next apply writes it',
    }))
}

/** One finding for a foreign service, instead of one for each field. */
function foreignPlace(service: string, { definitionPath, definitionDigest, notes }: ServiceState): DriftFinding {
  const file = definitionDigest === null ? [] : [`${definitionPath} does not have the label of this inventory`]
  const actual = [...file, ...notes].join('; ')
  return { service, field: 'definition', class: 'foreign', desired: definitionPath, recorded: null, actual }
}

export function notComparedFor(service: string, { code, why, next }: Refusal): NotCompared {
  return { service, code, why, next }
}

/** Without the record itself: a change of the record is not a change of the service. */
function changesOf({ actions }: Proposal): readonly FieldChange[] {
  const seen = new Map<string, FieldChange>()
  for (const change of actions.flatMap(({ changes }) =>
    changes.filter(({ field }) => field !== recordField && field !== overrideField),
  ))
    seen.set(JSON.stringify([change.field, change.from, change.to]), change)
  return [...seen.values()]
}

interface RecordedChanges {
  readonly recorded: readonly FieldChange[]
  readonly waits: readonly string[]
}

/** The changes that would restore the last apply, or why they are unknown. */
function recordedChanges(
  subject: ServiceCase,
  state: ServiceState,
  before: RecordedService,
  barred: boolean,
): RecordedChanges | { readonly why: string } {
  const waits = before.record.waits ?? []
  if (subject.service.state === 'absent') return { recorded: withoutRendering(state, before), waits }
  const past = pastCase(subject, before)
  if (barred) return { recorded: changesOf(proposeStopAlone(past)), waits }
  const proposal = diffOrWhy(past)
  if ('why' in proposal) return proposal
  return { recorded: withoutOwnChanges(proposal, state, before), waits }
}

function diffOrWhy(past: ServiceCase): Proposal | { readonly why: string } {
  try {
    const proposal = diffService(past)
    const [finding] = proposal.findings
    return finding === undefined ? proposal : { why: `the last apply cannot be compared: ${finding.why}` }
  } catch (error) {
    // Some managers cannot hold some values. Values that no inventory allows were refused before.
    if (error instanceof ConvergeError) return { why: `the last apply cannot be rendered: ${error.why}` }
    throw error
  }
}

/** The record does not say whether there was a key, but the digest of the definition shows it. */
function pastCase(subject: ServiceCase, { service, record }: RecordedService): ServiceCase {
  const { fleet, host, facts, key } = subject
  const keys = new Map(key === undefined ? [] : [[`${host.name}/${service.name}`, key]])
  const withKey = openCase(fleet, host, service, { facts, keys })
  if (key === undefined || digestOf(withKey) === record.definitionDigest) return withKey
  const { key: _key, ...keyless } = service
  const without = openCase(fleet, host, keyless, { facts, keys })
  return digestOf(without) === record.definitionDigest ? without : withKey
}

function digestOf(subject: ServiceCase): string | undefined {
  const input = renderInputOf(subject)
  if (input === undefined) return undefined
  try {
    return digestOfDefinition(subject.manager.render(input).definition)
  } catch (error) {
    if (error instanceof ConvergeError) return undefined
    throw error
  }
}

/**
 * A definition that is byte for byte the applied one was not changed by hand. If it still differs from what is rendered for the record, then this
 * version of converge renders it differently, or the key changed. A load-then-stop action that follows from that does not count either.
 */
function withoutOwnChanges(
  { actions, findings }: Proposal,
  state: ServiceState,
  { service, record }: RecordedService,
): readonly FieldChange[] {
  if (state.definitionDigest !== record.definitionDigest) return changesOf({ actions, findings })
  const changes = changesOf({ actions: actions.filter(({ momentary }) => momentary !== true), findings })
  const own = changes.filter(({ field }) => field.startsWith('definition') && !isOfTheHost(field))
  // Without a key in the inventory, only the digest shows what was applied, and it says that the definition was another one.
  const implied = own.length === 0 ? [] : ['definition', ...(service.key === undefined ? ['key'] : [])]
  const names = new Set([...own.map(({ field }) => withoutLayer(field)), ...implied])
  return changes.filter(
    (change) => !own.includes(change) && !(change.field.startsWith('running.') && names.has(withoutLayer(change.field))),
  )
}

function isOfTheHost(field: string): boolean {
  return field === 'definition.mode' || field === 'definition.loaded'
}

function withoutLayer(field: string): string {
  return field.replace(/^(definition|running)\./, '')
}

/** A service to be removed is not rendered: only the digest and the state of the record are compared. */
function withoutRendering(state: ServiceState, { service, record }: RecordedService): readonly FieldChange[] {
  const { definitionDigest, activity } = state
  return [
    ...(definitionDigest === record.definitionDigest
      ? []
      : [{ field: 'definition', from: short(definitionDigest), to: short(record.definitionDigest), effect: 'none' as const }]),
    ...(activity === service.state ? [] : [{ field: 'state', from: activity, to: service.state, effect: 'none' as const }]),
  ]
}

function short(digest: string | null): string | null {
  return digest === null ? null : shortDigest(digest)
}
