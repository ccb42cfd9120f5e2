import { defined } from '../lib/defined.ts'
import { holdsServer } from '../managers/holds-server.ts'
import type { ServiceState } from '../managers/manager.ts'
import type { Action, FieldChange } from '../model/action.ts'
import { dropInsOf } from '../policy/drop-ins.ts'
import { newAction } from '../simulate/new-action.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import type { WantedFiles } from './wanted-files.ts'

/** How the write is done: alone, or with the restart that makes it take effect. */
export interface WriteManner {
  readonly interrupts: boolean
  readonly changes: readonly FieldChange[]
  readonly note?: string
  readonly free_port?: number
}

/** The action that puts definition and key file in place; none where they are as wanted and the supervisor has read them. */
export function writeAction(
  subject: ServiceCase,
  state: ServiceState,
  { files }: WantedFiles,
  { interrupts, changes, note, free_port }: WriteManner,
): readonly Action[] {
  const all = [...changes, ...staleChange(subject, state)]
  if (all.length === 0) return []
  return [
    newAction(subject, {
      kind: state.definitionDigest === null ? 'install' : 'update',
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

export function needsWriting(subject: ServiceCase, state: ServiceState, { files }: WantedFiles): boolean {
  return files.changes.length > 0 || staleChange(subject, state).length > 0
}

/** A container is made from its file, and a job loaded from it, and not before: while one runs, there is nothing to be read again. */
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
  if (state.definitionDigest === null) return 'There is no definition of it yet.'
  const restarted = interrupts ? '; the server is restarted with the new one' : ''
  if (files.some((change) => change.field.startsWith('definition'))) {
    return `The definition on the host differs from what is wanted${restarted}${dropIns}.`
  }
  if (files.some(({ field, from }) => field === 'key_file' && from === null))
    return `The key file is missing on the host${restarted}.`
  if (files.length > 0) return `The key file on the host differs from what is wanted${restarted}.`
  if (changes.some((change) => change.field === 'definition.loaded')) return 'Its supervisor has not read the definition on disk.'
  if (changes.some((change) => change.field === 'image')) return 'Its image is not on the host yet.'
  if (changes.some((change) => change.field === 'starts_at_boot'))
    return 'It runs, but would not start by itself at the next boot.'
  return 'What runs differs from what is wanted.'
}

/** A drop-in may overrule what is written. */
export function dropInWords(subject: ServiceCase): string {
  const paths = dropInsOf(subject)
  return paths.length === 0 ? '' : ` (changed by the drop-in ${paths.join(', ')})`
}
