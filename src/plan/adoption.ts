import { defined } from '../lib/defined.ts'
import { holdsServer } from '../managers/holds-server.ts'
import type { ServiceState } from '../managers/manager.ts'
import { isTakeoverExact, type Takeover } from '../managers/takeover.ts'
import { type FieldChange, recordField } from '../model/action.ts'
import { valueWords } from '../policy/takeover-words.ts'
import { noop, type Proposal } from '../schedule/proposal.ts'
import { shortDigest } from '../simulate/digest.ts'
import { newAction } from '../simulate/new-action.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import { takeoverOf } from '../simulate/takeover-of.ts'
import type { DesiredFiles } from './desired-files.ts'

/**
 * For a definition that converge did not write: takes it over as it is, if the running server is what the inventory describes, and leaves it
 * alone after that. Undefined: there is no such definition, or something has to change.
 */
export function proposeAdoption(subject: ServiceCase, state: ServiceState): Proposal | undefined {
  if (!isInDesiredState(subject, state)) return undefined
  const takeover = exactTakeover(subject)
  if (takeover === undefined) return undefined
  const { waits } = takeover
  if (state.definition === 'adopted')
    return noop(subject, `${whole(state)} Its own definition stays as it is${waitWords(waits)}.`)
  const adopt = newAction(subject, {
    kind: 'adopt',
    reason: `${whole(state)} converge takes it over and changes nothing.`,
    changes: [recordChange(state)],
    ...defined({ note: noteOf(waits) }),
    reliesOn: { definition_digest: state.definitionDigest, process: state.process },
  })
  return { actions: [adopt], findings: [] }
}

/** An adopted definition that would start what the inventory describes needs no other one to be started or stopped. */
export function withAdopted(subject: ServiceCase, state: ServiceState, desired: DesiredFiles): DesiredFiles {
  const { definition, definitionDigest } = state
  if (definition !== 'adopted' || definitionDigest === null || exactTakeover(subject) === undefined) return desired
  return { ...desired, files: { changes: [], keyChanges: [], digest: definitionDigest } }
}

function exactTakeover(subject: ServiceCase): Takeover | undefined {
  const takeover = takeoverOf(subject)
  return takeover?.known === true && isTakeoverExact(takeover.value) ? takeover.value : undefined
}

function isInDesiredState({ service }: ServiceCase, state: ServiceState): boolean {
  if (state.definitionDigest === null || state.moves !== undefined) return false
  return service.state === 'running' ? state.activity === 'running' : !holdsServer(state) && !state.startsAtBoot
}

function recordChange({ definitionDigest }: ServiceState): FieldChange {
  return { field: recordField, from: null, to: shortDigest(definitionDigest ?? ''), effect: 'none' }
}

function whole({ process }: ServiceState): string {
  return process === null ? 'Stopped as desired.' : `Running as desired (pid ${process.pid}).`
}

function noteOf(waits: readonly FieldChange[]): string | undefined {
  if (waits.length === 0) return undefined
  return `Its own definition stays until a change of the inventory needs another one. Then these settings change as well: ${waits.map(waitText).join(', ')}.`
}

function waitText({ field, from, to }: FieldChange): string {
  const name = field.replace(/^(running|definition)\.((command|environment)\.)?/, '')
  return `${name} ${shortWords(from)} → ${shortWords(to)}`
}

/** A value may be a whole mapping. */
function shortWords(value: string | null): string {
  const words = valueWords(value)
  return words.length > 60 ? `${words.slice(0, 60)}…` : words
}

function waitWords(waits: readonly FieldChange[]): string {
  return waits.length === 0 ? '' : `; ${waits.length} of its settings change when converge next writes it`
}
