import { defined } from '../lib/defined.ts'
import { holdsServer } from '../managers/holds-server.ts'
import type { ServiceState } from '../managers/manager.ts'
import type { Action } from '../model/action.ts'
import { overrideWords } from '../policy/override-words.ts'
import { noop, type Proposal } from '../schedule/proposal.ts'
import { newAction } from '../simulate/new-action.ts'
import { heldPorts } from '../simulate/own-processes.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import type { DesiredFiles } from './desired-files.ts'
import { unknownFolder } from './unknown-folder.ts'
import { writeAction } from './write-action.ts'

/**
 * For `state: stopped`: the definition is in place and uses no RAM, now or after the next boot. The stop comes first, so that the write touches
 * no running server.
 */
export function proposeStopped(subject: ServiceCase, state: ServiceState, desired: DesiredFiles): Proposal {
  const stops = stopAction(subject, state)
  // Nothing reads a new definition before the server stops.
  const down: ServiceState = stops.length === 0 ? state : { ...state, activity: 'stopped', process: null }
  const writes = writeAction(subject, down, desired, { interrupts: false, changes: desired.files.changes })
  if (stops.length === 0 && subject.manager.loadingStarts) return loadThenStop(subject, writes, desired)
  if (stops.length + writes.length === 0) return noop(subject, 'Stopped as desired; its definition is up to date.')
  return { actions: [...stops, ...writes], findings: [] }
}

/**
 * Loads a definition that is not loaded as it is on disk. That starts the server, so it is stopped again at once. Whatever refuses a start also
 * refuses this; the service then stays unloaded, and counts as stopped.
 */
function loadThenStop(subject: ServiceCase, writes: readonly Action[], desired: DesiredFiles): Proposal {
  if (writes.length === 0) return noop(subject, 'Stopped as desired; its definition is up to date.')
  const load = newAction(subject, {
    kind: 'stop',
    reason: 'Not loaded.',
    changes: [{ field: 'state', from: 'not-loaded', to: 'stopped', effect: 'none' }],
    note: 'Its supervisor starts what it loads, so the server runs briefly before it stops again.',
    reliesOn: { definition_digest: desired.files.digest, process: null, free_port: subject.service.port },
  })
  return { actions: [...writes, { ...load, momentary: true }], findings: [] }
}

/** If the files cannot be compared: only the stop, which needs no rendered files. */
export function proposeStopAlone(subject: ServiceCase): Proposal {
  const { state, service } = subject
  if (service.state !== 'stopped' || !state.known) return { actions: [], findings: [] }
  const noFolder = unknownFolder(subject)
  if (noFolder !== undefined) return { actions: [], findings: [noFolder] }
  return { actions: stopAction(subject, state.value), findings: [] }
}

function stopAction(subject: ServiceCase, state: ServiceState): readonly Action[] {
  const active = holdsServer(state) || state.activity === 'failed'
  // A move removes what starts at boot.
  if (!active && (!state.startsAtBoot || state.moves !== undefined)) return []
  return [
    newAction(subject, {
      kind: 'stop',
      reason: active ? stopWords(subject) : 'Stopped, but enabled at boot.',
      changes: active
        ? [{ field: 'state', from: state.activity, to: 'stopped', effect: 'none' }]
        : [{ field: 'starts_at_boot', from: 'yes', to: 'no', effect: 'none' }],
      interrupts: holdsServer(state) || state.process !== null,
      reliesOn: { definition_digest: state.definitionDigest, process: state.process },
    }),
  ]
}

function stopWords({ service: { override } }: ServiceCase): string {
  return override === undefined ? 'The inventory says state: stopped.' : `It is to be ${overrideWords(override)}.`
}

/** The stop of a server that the plan starts again. It has the preconditions of the action that it replaces. */
export function temporaryStop(subject: ServiceCase, { relies_on }: Action): Action {
  const { definition_digest, process } = relies_on
  const stop = newAction(subject, {
    kind: 'stop',
    reason: 'Stopped temporarily.',
    changes: [{ field: 'state', from: 'running', to: 'stopped', effect: 'none' }],
    interrupts: true,
    reliesOn: defined({ definition_digest, process }),
  })
  return { ...stop, temporary: { makes_room_for: [], ports: heldPorts(subject) } }
}
