import { defined } from '../lib/defined.ts'
import { ownMember } from '../lib/own-member.ts'
import { restartOf } from '../managers/compare-fields.ts'
import { holdsServer } from '../managers/holds-server.ts'
import type { ServiceState } from '../managers/manager.ts'
import { oneBySetting } from '../managers/one-by-setting.ts'
import type { Action, EndedServer, FieldChange, Preconditions } from '../model/action.ts'
import type { Observed } from '../model/observed.ts'
import type { Finding } from '../policy/rule.ts'
import { factUnknown } from '../policy/words.ts'
import { noop, type Proposal } from '../schedule/proposal.ts'
import { restartsCheaply } from '../servers/traits.ts'
import { newAction } from '../simulate/new-action.ts'
import { listensAlready } from '../simulate/own-processes.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import { unsupervisedServer } from '../simulate/unsupervised.ts'
import type { DesiredFiles } from './desired-files.ts'
import { temporaryStop } from './propose-stopped.ts'
import { withNewerImage } from './propose-upgrade.ts'
import { dropInWords, needsWriting, writeAction } from './write-action.ts'

/** For `state: running`. */
export function proposeRunning(subject: ServiceCase, state: ServiceState, desired: DesiredFiles): Proposal {
  if (!holdsServer(state)) return forDown(subject, state, desired)
  return withResume(subject, state, proposeForUp(subject, state, desired))
}

/**
 * A paused server resumes first, unchanged: its cache is worth keeping, even if the pending restart is refused. A server that is replaced anyway
 * does not resume.
 */
function withResume(subject: ServiceCase, state: ServiceState, { actions, findings, splitInto }: Proposal): Proposal {
  const { kind } = subject.service
  if (state.activity !== 'paused') return { actions, findings, ...defined({ splitInto }) }
  const changes = actions.filter((action) => action.kind !== 'noop')
  if (restartsCheaply(kind) && changes.some(({ interrupts }) => interrupts)) return { actions: changes, findings }
  return { actions: [resumeAction(subject, state), ...changes], findings }
}

/** Of a paused server. */
export function resumeAction(subject: ServiceCase, state: ServiceState): Action {
  return newAction(subject, {
    kind: 'start',
    reason: 'Paused. Its container resumes with its memory intact.',
    changes: [{ field: 'state', from: 'paused', to: 'running', effect: 'none' }],
    starts: true,
    reliesOn: { definition_digest: state.definitionDigest, process: state.process },
  })
}

function proposeForUp(subject: ServiceCase, state: ServiceState, desired: DesiredFiles): Proposal {
  const running: Observed<readonly FieldChange[]> = subject.manager.compareRunning(desired.input, subject.facts)
  const differs = [...withNewerImage(subject, runningChanges(running, desired)), ...bootChange(state)]
  const found: Differences = {
    state,
    desired,
    differs,
    restarts: [...differs, ...movesOf(state)].some(isRestart),
    unsure: !running.known,
  }
  if (restartsCheaply(subject.service.kind) && needsWriting(subject, state, desired))
    return withSplit(subject, found, { actions: changeFreely(subject, found), findings: [] })
  const findings = running.known ? [] : [runningUnknown(subject, running)]
  if (!needsWriting(subject, state, desired) && differs.length === 0) {
    return findings.length > 0 ? { actions: [], findings } : noop(subject, `Running as desired${pidWords(state)}.`)
  }
  const isWhole = restartsCheaply(subject.service.kind) || state.moves !== undefined
  const actions = isWhole ? changeFreely(subject, found) : changeWarm(subject, found)
  return withSplit(subject, found, { actions, findings })
}

/**
 * An action that replaces the server could also be split: stop the server temporarily, then do the rest as for a stopped one. If a write comes
 * before it, the stop can also come before the write: what must not be written for a running server may be written for a stopped one.
 */
function withSplit(subject: ServiceCase, { state, desired }: Differences, proposal: Proposal): Proposal {
  const index = proposal.actions.findIndex(({ interrupts, starts }) => interrupts && starts)
  const down: ServiceState = { ...state, activity: 'stopped', process: null, notes: [] }
  const again = forDown(subject, down, desired).actions.map((action) =>
    action.starts ? { ...action, reason: 'Starts again after its temporary stop.' } : action,
  )
  const splits = proposal.actions.slice(0, index + 1).map((action, at) => {
    // The write before it is not repeated.
    const rest = at === 0 ? again : again.slice(-1)
    return [action.id, [temporaryStop(subject, action), ...rest]] as const
  })
  return splits.length === 0 ? proposal : { ...proposal, splitInto: Object.fromEntries(splits) }
}

interface Differences {
  readonly state: ServiceState
  readonly desired: DesiredFiles
  /** How the running server differs from the desired one. */
  readonly differs: readonly FieldChange[]
  readonly restarts: boolean
  /** The running server could not be compared. */
  readonly unsure: boolean
}

/** For a server that is not running: write what differs, then start it. */
export function forDown(subject: ServiceCase, state: ServiceState, desired: DesiredFiles): Proposal {
  const changes = [...desired.files.changes, ...missingImage(subject)]
  const writes = writeAction(subject, state, desired, { interrupts: false, changes })
  const unsupervised = unsupervisedServer(subject)
  const start = unsupervised === undefined ? startAction(subject, state, desired) : takeOver(subject, unsupervised, desired)
  return { actions: [...writes, start], findings: [] }
}

function startAction(subject: ServiceCase, state: ServiceState, desired: DesiredFiles): Action {
  return newAction(subject, {
    kind: 'start',
    reason: `${downWords[state.activity]}${state.notes.length === 0 ? '' : ` (${state.notes.join('; ')})`}.`,
    changes: [{ field: 'state', from: state.activity, to: 'running', effect: 'none' }],
    starts: true,
    reliesOn: { definition_digest: desired.files.digest, process: null, ...portOfStart(subject, state) },
  })
}

/** The server that the service describes runs without a supervisor. */
function takeOver(subject: ServiceCase, ends: EndedServer, desired: DesiredFiles): Action {
  return newAction(subject, {
    kind: 'restart',
    reason: `Its server runs without a supervisor (pid ${ends.pid}). It ends, and starts again under ${subject.service.manager}.`,
    changes: [{ field: 'supervisor', from: null, to: subject.service.manager, effect: restartOf(subject.service.kind) }],
    interrupts: true,
    starts: true,
    ends,
    reliesOn: { definition_digest: desired.files.digest, process: null },
  })
}

/** The image is downloaded before another server stops to make room: otherwise the start would download it while that server is down. */
function missingImage({ manager, facts, question }: ServiceCase): readonly FieldChange[] {
  if (!facts.containers.known || !manager.isContainer) return []
  const { images } = facts.containers.value
  const absent = question.images.filter((image) => ownMember(images, image) === false)
  return absent.map((image) => ({ field: 'image', from: null, to: image, effect: 'none' }))
}

/** A server that crashes over and over holds its port from time to time. Another holder has been observed by then. */
function portOfStart(subject: ServiceCase, state: ServiceState): Pick<Preconditions, 'free_port'> {
  return state.activity === 'failed' ? {} : { free_port: subject.service.port }
}

const downWords: Readonly<Record<ServiceState['activity'], string>> = {
  running: 'Running',
  paused: 'Paused',
  stopped: 'Not running',
  failed: 'Failed and not staying up',
  'not-loaded': 'Not loaded',
}

/** Nothing may come between its end in one place and its start in the other. */
function movesOf({ moves }: ServiceState): readonly FieldChange[] {
  return moves === undefined ? [] : [moves]
}

/** Kind A warms up in seconds, so one action does everything. */
function changeFreely(subject: ServiceCase, found: Differences): readonly Action[] {
  const { state, desired, differs, restarts, unsure } = found
  if (!needsWriting(subject, state, desired) && restarts) return [restartAction(subject, found)]
  const changes = merged(desired.files.changes, differs)
  const restarting = { interrupts: true, changes, ...freePort(subject) }
  return writeAction(subject, state, desired, restarts || unsure ? restarting : { interrupts: false, changes })
}

/** For Kind B, the write costs nothing but the restart costs the cache, so they are separate actions. */
function changeWarm(subject: ServiceCase, found: Differences): readonly Action[] {
  const { state, desired, differs, restarts } = found
  if (!restarts) {
    return writeAction(subject, state, desired, { interrupts: false, changes: merged(desired.files.changes, differs) })
  }
  const note = 'The new definition takes effect at the next restart.'
  const writes = writeAction(subject, state, desired, { interrupts: false, changes: desired.files.changes, note })
  return [...writes, restartAction(subject, found)]
}

export function restartAction(
  subject: ServiceCase,
  { state, desired, differs }: Pick<Differences, 'state' | 'desired' | 'differs'>,
): Action {
  const fields = new Set(differs.map((change) => change.field.replace(/^running\./, '')))
  return newAction(subject, {
    kind: 'restart',
    reason: `The running server differs: ${[...fields].join(', ')}${dropInWords(subject)}.`,
    changes: differs,
    interrupts: true,
    starts: true,
    reliesOn: { definition_digest: desired.files.digest, process: state.process, ...freePort(subject) },
  })
}

/** No other process may listen there; a server that keeps its port still holds it. */
function freePort(subject: ServiceCase): Pick<Preconditions, 'free_port'> {
  return listensAlready(subject) ? {} : { free_port: subject.service.port }
}

/** A changed key file counts as well: a server reads its key only once. */
function runningChanges(running: Observed<readonly FieldChange[]>, { input, files }: DesiredFiles): readonly FieldChange[] {
  const changes = running.known ? oneBySetting(running.value, input.service.kind) : []
  return merged(changes, files.keyChanges)
}

/** A running server must also start at the next boot. */
function bootChange(state: ServiceState): readonly FieldChange[] {
  return state.startsAtBoot ? [] : [{ field: 'starts_at_boot', from: 'no', to: 'yes', effect: 'none' }]
}

function isRestart(change: FieldChange): boolean {
  return change.effect === 'cheap-restart' || change.effect === 'costly-restart'
}

function runningUnknown({ service, host }: ServiceCase, running: Observed<unknown>): Finding {
  const seen = running.known ? ({ known: false, because: 'unreadable' } as const) : running
  const words = { host: host.name, decision: 'whether it needs a restart' }
  return factUnknown(`The launch of the running ${service.name}`, seen, words)
}

/** The same difference on disk and in the process counts once. */
function merged(a: readonly FieldChange[], b: readonly FieldChange[]): readonly FieldChange[] {
  const known = new Set(a.map(sameness))
  return [...a, ...b.filter((change) => !known.has(sameness(change)))]
}

function sameness({ field, from, to }: FieldChange): string {
  return JSON.stringify([field.replace(/^(definition|running)\./, ''), from, to])
}

function pidWords({ process }: ServiceState): string {
  return process === null ? '' : ` (pid ${process.pid})`
}
