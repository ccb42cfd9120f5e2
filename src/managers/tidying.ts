import { type Action, type FieldChange, recordField } from '../model/action.ts'
import { overrideField } from '../model/operation.ts'
import type { Check, StepGroup } from '../model/step.ts'
import type { KeyBefore } from './key-file.ts'
import { forgetCopies } from './previous-copy.ts'
import { dropKey } from './write-files.ts'

/** Whether the action only deletes unused files and updates records: running servers and definitions stay the same. */
export function isTidying({ changes }: Pick<Action, 'changes'>): boolean {
  return changes.length > 0 && changes.every(touchesNoServer)
}

/** Deletes an unused file, or updates the record of what was applied. */
export function touchesNoServer({ field, to }: FieldChange): boolean {
  return field === 'leftover' || field === recordField || field === overrideField || (field === 'key_file' && to === null)
}

/**
 * Writes nothing and calls no supervisor.
 *
 * @param others where else the definition was
 */
export function tidyUp(
  definition: string,
  key: KeyBefore,
  precheck: readonly Check[],
  others: readonly string[] = [],
): Omit<StepGroup, 'action' | 'service'> {
  return { precheck, steps: [...dropKey(key), forgetCopies(definition, key.path, ...others)], postcheck: [], undo: [] }
}
