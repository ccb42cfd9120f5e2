import { defined } from '../lib/defined.ts'
import { ownMember } from '../lib/own-member.ts'
import { holdsServer } from '../managers/holds-server.ts'
import type { ServiceState } from '../managers/manager.ts'
import type { Action, FieldChange, Preconditions } from '../model/action.ts'
import type { Observed } from '../model/observed.ts'
import type { Finding } from '../policy/rule.ts'
import { factUnknown } from '../policy/words.ts'
import { noop, type Proposal } from '../schedule/proposal.ts'
import { restartsCheaply } from '../servers/traits.ts'
import { newAction } from '../simulate/new-action.ts'
import { listensAlready } from '../simulate/own-processes.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import { temporaryStop } from './propose-stopped.ts'
import type { WantedFiles } from './wanted-files.ts'
import { dropInWords, needsWriting, writeAction } from './write-action.ts'

/** Wanted: running. */
export function proposeRunning(subject: ServiceCase, state: ServiceState, wanted: WantedFiles): Proposal {
  if (!holdsServer(state)) return forDown(subject, state, wanted)
  return withGoingOn(subject, state, proposeForUp(subject, state, wanted))
}

/**
 * What is paused is let go on first, as it is: whatever it has warmed is worth keeping, also where a restart that is due is refused. One
 * that is replaced anyway need not go on before.
 */
function withGoingOn(subject: ServiceCase, state: ServiceState, { actions, findings, pieces }: Proposal): Proposal {
  const { kind } = subject.service
  if (state.activity !== 'paused') return { actions, findings, ...defined({ pieces }) }
  const changes = actions.filter((action) => action.kind !== 'noop')
  if (restartsCheaply(kind) && changes.some(({ interrupts }) => interrupts)) return { actions: changes, findings }
  const goOn = newAction(subject, {
    kind: 'start',
    reason: 'Its container is paused, and it is wanted running: it goes on with what it has in memory.',
    changes: [{ field: 'state', from: 'paused', to: 'running', effect: 'none' }],
    starts: true,
    reliesOn: { definition_digest: state.definitionDigest, process: state.process },
  })
  return { actions: [goOn, ...changes], findings }
}

function proposeForUp(subject: ServiceCase, state: ServiceState, wanted: WantedFiles): Proposal {
  const running: Observed<readonly FieldChange[]> = subject.manager.compareRunning(wanted.input, subject.facts)
  const differs = [...runningChanges(running, wanted), ...bootChange(state)]
  const found: Differences = { state, wanted, differs, restarts: differs.some(isRestart), unsure: !running.known }
  if (restartsCheaply(subject.service.kind) && needsWriting(subject, state, wanted))
    return withPieces(subject, found, { actions: changeFreely(subject, found), findings: [] })
  const findings = running.known ? [] : [runningUnknown(subject, running)]
  if (!needsWriting(subject, state, wanted) && differs.length === 0) {
    return findings.length > 0 ? { actions: [], findings } : noop(subject, `It runs as wanted${pidWords(state)}.`)
  }
  const actions = restartsCheaply(subject.service.kind) ? changeFreely(subject, found) : changeWarm(subject, found)
  return withPieces(subject, found, { actions, findings })
}

/**
 * An action that replaces the server in one go could also stop it first, and do the rest as for one that is down. Where something is
 * written before it, the stop can come before that as well: what may not be written for a running server may be for one that is down.
 */
function withPieces(subject: ServiceCase, { state, wanted }: Differences, proposal: Proposal): Proposal {
  const index = proposal.actions.findIndex(({ interrupts, starts }) => interrupts && starts)
  const down: ServiceState = { ...state, activity: 'stopped', process: null, notes: [] }
  const again = forDown(subject, down, wanted).actions.map((action) =>
    action.starts ? { ...action, reason: 'It was down for a while, and is started again.' } : action,
  )
  const pieces = proposal.actions.slice(0, index + 1).map((action, at) => {
    // What is written before it is not written twice.
    const rest = at === 0 ? again : again.slice(-1)
    return [action.id, [temporaryStop(subject, action), ...rest]] as const
  })
  return pieces.length === 0 ? proposal : { ...proposal, pieces: Object.fromEntries(pieces) }
}

interface Differences {
  readonly state: ServiceState
  readonly wanted: WantedFiles
  /** Where what runs differs from what is wanted. */
  readonly differs: readonly FieldChange[]
  readonly restarts: boolean
  /** What runs could not be compared. */
  readonly unsure: boolean
}

/** It does not run: what differs is written, then it is started. */
function forDown(subject: ServiceCase, state: ServiceState, wanted: WantedFiles): Proposal {
  const changes = [...wanted.files.changes, ...missingImage(subject)]
  const writes = writeAction(subject, state, wanted, { interrupts: false, changes })
  const start = newAction(subject, {
    kind: 'start',
    reason: `${downWords[state.activity]}, and it is wanted running${state.notes.length === 0 ? '' : ` (${state.notes.join('; ')})`}.`,
    changes: [{ field: 'state', from: state.activity, to: 'running', effect: 'none' }],
    starts: true,
    reliesOn: { definition_digest: wanted.files.digest, process: null, ...portOfStart(subject, state) },
  })
  return { actions: [...writes, start], findings: [] }
}

/** It is had before anything is stopped that the server takes the place of: a start alone would fetch it when that is down. */
function missingImage({ manager, facts, question }: ServiceCase): readonly FieldChange[] {
  if (!facts.containers.known || !manager.isContainer) return []
  const { images } = facts.containers.value
  const absent = question.images.filter((image) => ownMember(images, image) === false)
  return absent.map((image) => ({ field: 'image', from: null, to: image, effect: 'none' }))
}

/** One that crashes over and over has its port by turns; whoever else holds it is seen by then. */
function portOfStart(subject: ServiceCase, state: ServiceState): Pick<Preconditions, 'free_port'> {
  return state.activity === 'failed' ? {} : { free_port: subject.service.port }
}

const downWords: Readonly<Record<ServiceState['activity'], string>> = {
  running: 'It runs',
  paused: 'It is paused',
  stopped: 'It does not run',
  failed: 'It failed and does not stay up',
  'not-loaded': 'Its supervisor does not know it',
}

/** Kind A warms in seconds, so that one step does it all. */
function changeFreely(subject: ServiceCase, found: Differences): readonly Action[] {
  const { state, wanted, differs, restarts, unsure } = found
  if (!needsWriting(subject, state, wanted) && restarts) return [restartAction(subject, found)]
  const changes = merged(wanted.files.changes, differs)
  const restarting = { interrupts: true, changes, ...freePort(subject) }
  return writeAction(subject, state, wanted, restarts || unsure ? restarting : { interrupts: false, changes })
}

/** For Kind B the write, which costs nothing, stands apart from the restart, which costs the cache. */
function changeWarm(subject: ServiceCase, found: Differences): readonly Action[] {
  const { state, wanted, differs, restarts } = found
  if (!restarts) {
    return writeAction(subject, state, wanted, { interrupts: false, changes: merged(wanted.files.changes, differs) })
  }
  const note = 'What is written takes effect at the next restart.'
  const writes = writeAction(subject, state, wanted, { interrupts: false, changes: wanted.files.changes, note })
  return [...writes, restartAction(subject, found)]
}

function restartAction(subject: ServiceCase, { state, wanted, differs }: Differences): Action {
  const fields = new Set(differs.map((change) => change.field.replace(/^running\./, '')))
  return newAction(subject, {
    kind: 'restart',
    reason: `The running server differs from what is wanted: ${[...fields].join(', ')}${dropInWords(subject)}.`,
    changes: differs,
    interrupts: true,
    starts: true,
    reliesOn: { definition_digest: wanted.files.digest, process: state.process, ...freePort(subject) },
  })
}

/** Nobody else may listen there; a server that keeps its port still holds it itself. */
function freePort(subject: ServiceCase): Pick<Preconditions, 'free_port'> {
  return listensAlready(subject) ? {} : { free_port: subject.service.port }
}

/** A key that changes on disk counts as well: no server reads its key twice. */
function runningChanges(running: Observed<readonly FieldChange[]>, { files }: WantedFiles): readonly FieldChange[] {
  const changes = running.known ? running.value : []
  return merged(changes, files.keyChanges)
}

/** A server that is up and would stay down after the next boot is not what is wanted. */
function bootChange(state: ServiceState): readonly FieldChange[] {
  return state.startsAtBoot ? [] : [{ field: 'starts_at_boot', from: 'no', to: 'yes', effect: 'none' }]
}

function isRestart(change: FieldChange): boolean {
  return change.effect === 'cheap-restart' || change.effect === 'costly-restart'
}

function runningUnknown({ service, host }: ServiceCase, running: Observed<unknown>): Finding {
  const seen = running.known ? ({ known: false, because: 'unreadable' } as const) : running
  const words = { host: host.name, decision: 'whether it has to be restarted' }
  return factUnknown(`What the running ${service.name} was started with`, seen, words)
}

/** What differs on disk and in the process in the same way is told once. */
function merged(a: readonly FieldChange[], b: readonly FieldChange[]): readonly FieldChange[] {
  const told = new Set(a.map(sameness))
  return [...a, ...b.filter((change) => !told.has(sameness(change)))]
}

function sameness({ field, from, to }: FieldChange): string {
  return JSON.stringify([field.replace(/^(definition|running)\./, ''), from, to])
}

function pidWords({ process }: ServiceState): string {
  return process === null ? '' : ` (pid ${process.pid})`
}
