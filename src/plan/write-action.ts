import { defined } from '../lib/defined.ts'
import { holdsServer } from '../managers/holds-server.ts'
import type { ServiceState } from '../managers/manager.ts'
import type { Action, FieldChange } from '../model/action.ts'
import { dropInsOf } from '../policy/drop-ins.ts'
import { newAction } from '../simulate/new-action.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import type { DesiredFiles } from './desired-files.ts'

/** Whether the action only writes, or also restarts the server. */
export interface WriteOptions {
  readonly interrupts: boolean
  readonly changes: readonly FieldChange[]
  readonly note?: string
  readonly free_port?: number
}

/** The action that writes definition and key file; none if they are up to date and the supervisor has loaded them. */
export function writeAction(
  subject: ServiceCase,
  state: ServiceState,
  { files }: DesiredFiles,
  { interrupts, changes, note, free_port }: WriteOptions,
): readonly Action[] {
  const all = [...moveChange(state), ...changes, ...staleChange(subject, state)]
  if (all.length === 0) return []
  return [
    newAction(subject, {
      kind: state.definitionDigest === null && state.moves === undefined ? 'install' : 'update',
      reason: reasonOf(state, { dropIns: dropInWords(subject), files: files.changes, changes: all, interrupts }),
      changes: all,
      ...defined({ diff: files.diff }),
      interrupts,
      starts: interrupts,
      ...defined({ note }),
      reliesOn: {
        definition_digest: state.definitionDigest,
        process: state.process,
        ...defined({ free_port }),
      },
    }),
  ]
}

export function needsWriting(subject: ServiceCase, state: ServiceState, { files }: DesiredFiles): boolean {
  return files.changes.length > 0 || state.moves !== undefined || staleChange(subject, state).length > 0
}

/** Comes first: it is what the action is about. */
function moveChange({ moves }: ServiceState): readonly FieldChange[] {
  return moves === undefined ? [] : [moves]
}

/** Only systemd rereads a definition. A running container or job was created from its file, so there is nothing to reload. */
function staleChange({ manager }: ServiceCase, state: ServiceState): readonly FieldChange[] {
  if (!state.staleDefinition || (!manager.rereads && holdsServer(state))) return []
  return [{ field: 'definition.loaded', from: 'an older one', to: 'the one on disk', effect: 'reload' }]
}

function reasonOf(
  state: ServiceState,
  {
    files,
    changes,
    interrupts,
    dropIns,
  }: {
    readonly dropIns: string
    readonly files: readonly FieldChange[]
    readonly changes: readonly FieldChange[]
    readonly interrupts: boolean
  },
): string {
  if (state.moves !== undefined) return movesWords(state.moves, interrupts)
  if (state.definitionDigest === null) return 'Not installed.'
  const restarted = interrupts ? '; the server restarts with the new one' : ''
  if (files.length > 0 && files.every(isKeyChange)) return `The API key differs${restarted}.`
  if (files.some((change) => change.field.startsWith('definition'))) {
    return `The definition differs${restarted}${dropIns}.`
  }
  if (files.some(({ field, from }) => field === 'key_file' && from === null)) return `The key file is missing${restarted}.`
  if (files.length > 0) return `The key file differs${restarted}.`
  return beyondFiles(changes)
}

/** Both files are up to date. */
function beyondFiles(changes: readonly FieldChange[]): string {
  if (changes.some((change) => change.field === 'definition.loaded'))
    return 'The supervisor has not loaded the definition on disk.'
  if (changes.some((change) => change.field === 'image')) return 'The image is not on the host.'
  if (changes.some((change) => change.field === 'starts_at_boot')) return 'Running, but not enabled at boot.'
  return 'The running server differs.'
}

function movesWords({ field, from, to }: FieldChange, restarts: boolean): string {
  return `Moves from ${field} ${from ?? ''} to ${to ?? ''}${restarts ? '; the server restarts there' : ''}.`
}

/** The key itself differs, not only that it is missing or has another mode. */
function isKeyChange({ field, from }: FieldChange): boolean {
  return field === 'definition.key' || (field === 'key_file' && from !== null)
}

/** A drop-in may override the definition. */
export function dropInWords(subject: ServiceCase): string {
  const paths = dropInsOf(subject)
  return paths.length === 0 ? '' : ` (changed by the drop-in ${paths.join(', ')})`
}
