import { ConvergeError } from '../errors/converge-error.ts'
import type { ServiceState } from '../managers/manager.ts'
import { type FieldChange, recordField } from '../model/action.ts'
import type { DriftFinding, NotCompared, TwoWay } from '../model/drift.ts'
import type { Refusal } from '../model/refusal.ts'
import { diffService } from '../plan/diff-service.ts'
import { evaluateService } from '../plan/evaluate-service.ts'
import { proposeStopAlone } from '../plan/propose-stopped.ts'
import type { Approvals } from '../policy/approvals.ts'
import type { Proposal } from '../schedule/proposal.ts'
import { digestOfText, shortDigest } from '../simulate/digest.ts'
import { openCase, renderInputOf, type ServiceCase } from '../simulate/service-case.ts'
import { type RecordedService, recordedService } from './recorded-service.ts'
import { compareThreeWays, compareTwoWays } from './three-ways.ts'

/** What was found of one service. */
export interface ServiceDrift {
  readonly findings: readonly DriftFinding[]
  readonly notCompared: readonly NotCompared[]
  /** There was no record to compare with. */
  readonly twoWay?: TwoWay
}

/**
 * One service, three ways. What is wanted and what was last applied are each compared with the host as the planner compares, so that
 * a service without a finding is one for which nothing is planned, but perhaps that its record is written.
 */
export function compareService(subject: ServiceCase, approvals: Approvals): ServiceDrift {
  const { service, facts, fleet, state } = subject
  const { proposal, uncompared } = evaluateService(subject, approvals)
  const wanted = changesOf(proposal)
  const notCompared = uncompared.map((refusal) => notComparedFor(service.name, refusal))
  if (!state.known) return { findings: [], notCompared }
  const before = recordedService(service, fleet.settings.org, facts)
  const recorded = 'why' in before ? before : recordedChanges(subject, state.value, before, uncompared.length > 0)
  if ('why' in recorded) {
    // Where nothing is wanted, and nothing was or is there, there is nothing to tell.
    const idle = service.state === 'absent' && wanted.length === 0
    const twoWay = idle ? {} : { twoWay: { service: service.name, why: recorded.why } }
    const findings = [...withoutRecord(subject, state.value, wanted, recorded.why), ...missingRecord(service.name, proposal)]
    return { findings, notCompared, ...twoWay }
  }
  return { findings: compareThreeWays(service.name, { wanted, ...recorded }), notCompared }
}

/** Where nothing of it is there, there is nothing that anybody could have changed. */
function withoutRecord(
  { service }: ServiceCase,
  state: ServiceState,
  wanted: readonly FieldChange[],
  why: string,
): readonly DriftFinding[] {
  if (state.definition === 'foreign') return wanted.length === 0 ? [] : [foreignPlace(service.name, state)]
  const untouched = state.definition === 'none' && state.activity === 'not-loaded'
  const note = `${why}: who changed it cannot be told`
  return compareTwoWays(service.name, wanted, { as: untouched ? 'pending' : 'drift', note })
}

/** Without it nobody can say any more who changed what: that it is gone is drift by itself. */
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
      note: 'apply writes it anew',
    }))
}

/** Field by field it would be told of somebody else's service that it is not ours. */
function foreignPlace(service: string, { definitionPath, definitionDigest, notes }: ServiceState): DriftFinding {
  const file = definitionDigest === null ? [] : [`${definitionPath} does not carry our mark`]
  const actual = [...file, ...notes].join('; ')
  return { service, field: 'definition', class: 'foreign', desired: definitionPath, recorded: null, actual }
}

export function notComparedFor(service: string, { code, why, next }: Refusal): NotCompared {
  return { service, code, why, next }
}

/** The record is what is compared with: that it is of something else is nothing that was done to the service. */
function changesOf({ actions }: Proposal): readonly FieldChange[] {
  const seen = new Map<string, FieldChange>()
  for (const change of actions.flatMap(({ changes }) => changes.filter(({ field }) => field !== recordField)))
    seen.set(JSON.stringify([change.field, change.from, change.to]), change)
  return [...seen.values()]
}

interface Recorded {
  readonly recorded: readonly FieldChange[]
  readonly waits: readonly string[]
}

/** What would make the host as it was last applied, or why that cannot be told. */
function recordedChanges(
  subject: ServiceCase,
  state: ServiceState,
  before: RecordedService,
  barred: boolean,
): Recorded | { readonly why: string } {
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
    return finding === undefined ? proposal : { why: `what was last applied cannot be compared: ${finding.why}` }
  } catch (error) {
    // Some values cannot be written down by every manager; what the inventory would never let through was looked for before.
    if (error instanceof ConvergeError) return { why: `what was last applied cannot be written down: ${error.why}` }
    throw error
  }
}

/** The record does not say whether there was a key: the digest of the definition does. */
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
    return digestOfText(subject.manager.render(input).definition.content)
  } catch (error) {
    if (error instanceof ConvergeError) return undefined
    throw error
  }
}

/**
 * A definition that is to the byte what was applied was changed by nobody: where it still differs from what is rendered for the record,
 * this version of converge renders another one, or the key is another one by now. What would only be loaded for the sake of that
 * was left unloaded by nobody either.
 */
function withoutOwnChanges(
  { actions, findings }: Proposal,
  state: ServiceState,
  { service, record }: RecordedService,
): readonly FieldChange[] {
  if (state.definitionDigest !== record.definitionDigest) return changesOf({ actions, findings })
  const changes = changesOf({ actions: actions.filter(({ momentary }) => momentary !== true), findings })
  const own = changes.filter(({ field }) => field.startsWith('definition') && !isOfTheHost(field))
  // Without a key in the inventory nobody can say what was applied but by the digest, and by that it was another definition.
  const unsaid = own.length === 0 ? [] : ['definition', ...(service.key === undefined ? ['key'] : [])]
  const names = new Set([...own.map(({ field }) => withoutLayer(field)), ...unsaid])
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

/** What is to be gone is not rendered any more: what the record says of it as a whole is compared. */
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
