import { defined } from '../lib/defined.ts'
import { holdsServer } from '../managers/holds-server.ts'
import type { ServiceState } from '../managers/manager.ts'
import type { Action } from '../model/action.ts'
import { noop, type Proposal } from '../schedule/proposal.ts'
import { newAction } from '../simulate/new-action.ts'
import { heldPorts } from '../simulate/own-processes.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import { unknownFolder } from './unknown-folder.ts'
import type { WantedFiles } from './wanted-files.ts'
import { writeAction } from './write-action.ts'

/**
 * Wanted: stopped, that is the definition in place and no RAM used, now or after the next boot. It is stopped first, so that what
 * is written after that touches no running server.
 */
export function proposeStopped(subject: ServiceCase, state: ServiceState, wanted: WantedFiles): Proposal {
  const stops = stopAction(subject, state)
  // What was written while it ran is read by nobody before it is stopped.
  const down: ServiceState = stops.length === 0 ? state : { ...state, activity: 'stopped', process: null }
  const writes = writeAction(subject, down, wanted, { interrupts: false, changes: wanted.files.changes })
  if (stops.length === 0 && subject.manager.loadingStarts) return loadAndStop(subject, writes, wanted)
  if (stops.length + writes.length === 0) return noop(subject, 'It is stopped, as wanted, and its definition is in place.')
  return { actions: [...stops, ...writes], findings: [] }
}

/**
 * A definition that is not loaded as it is on disk is loaded, which starts it, and it is stopped again at once. Whatever stands
 * against a start stands against that; what is written and kept from login is stopped as well, so then it is left out.
 */
function loadAndStop(subject: ServiceCase, writes: readonly Action[], wanted: WantedFiles): Proposal {
  if (writes.length === 0) return noop(subject, 'It is stopped, as wanted, and its definition is in place.')
  const load = newAction(subject, {
    kind: 'stop',
    reason: 'It is loaded, as a stopped service is.',
    changes: [{ field: 'state', from: 'not-loaded', to: 'stopped', effect: 'none' }],
    note: 'Its supervisor starts what it loads, so it runs for a moment and is stopped again.',
    reliesOn: { definition_digest: wanted.files.digest, process: null, free_port: subject.service.port },
  })
  return { actions: [...writes, { ...load, momentary: true }], findings: [] }
}

/** Where its files cannot be compared: the stop alone, for which nothing has to be rendered. */
export function proposeStopAlone(subject: ServiceCase): Proposal {
  const { state, service } = subject
  if (service.state !== 'stopped' || !state.known) return { actions: [], findings: [] }
  const unwhere = unknownFolder(subject)
  if (unwhere !== undefined) return { actions: [], findings: [unwhere] }
  return { actions: stopAction(subject, state.value), findings: [] }
}

function stopAction(subject: ServiceCase, state: ServiceState): readonly Action[] {
  const active = holdsServer(state) || state.activity === 'failed'
  if (!active && !state.startsAtBoot) return []
  return [
    newAction(subject, {
      kind: 'stop',
      reason: active ? 'It is wanted stopped.' : 'It is stopped, but would start by itself at the next boot.',
      changes: active
        ? [{ field: 'state', from: state.activity, to: 'stopped', effect: 'none' }]
        : [{ field: 'starts_at_boot', from: 'yes', to: 'no', effect: 'none' }],
      interrupts: holdsServer(state) || state.process !== null,
      reliesOn: { definition_digest: state.definitionDigest, process: state.process },
    }),
  ]
}

/** Of a server that its own plan starts again: it relies on what the action does in whose place it comes. */
export function temporaryStop(subject: ServiceCase, { relies_on }: Action): Action {
  const { definition_digest, process } = relies_on
  const stop = newAction(subject, {
    kind: 'stop',
    reason: 'It has to be down for a while.',
    changes: [{ field: 'state', from: 'running', to: 'stopped', effect: 'none' }],
    interrupts: true,
    reliesOn: defined({ definition_digest, process }),
  })
  return { ...stop, temporary: { makes_room_for: [], ports: heldPorts(subject) } }
}
