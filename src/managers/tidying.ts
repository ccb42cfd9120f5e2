import { type Action, type FieldChange, recordField } from '../model/action.ts'
import type { Check, StepGroup } from '../model/step.ts'
import type { KeyBefore } from './key-file.ts'
import { forgetCopies } from './previous-copy.ts'
import { dropKey } from './write-files.ts'

/** Whether nothing is done but to take away what nothing reads and to remember: what runs, and what would be started, stays as it is. */
export function isTidying({ changes }: Pick<Action, 'changes'>): boolean {
  return changes.length > 0 && changes.every(touchesNoServer)
}

/** A file that nothing reads goes, or what was applied is remembered. */
export function touchesNoServer({ field, to }: FieldChange): boolean {
  return field === 'leftover' || field === recordField || (field === 'key_file' && to === null)
}

/** Nothing is written and no supervisor is told anything. */
export function tidyUp(definition: string, key: KeyBefore, precheck: readonly Check[]): Omit<StepGroup, 'action' | 'service'> {
  return { precheck, steps: [...dropKey(key), forgetCopies(definition, key.path)], postcheck: [], undo: [] }
}
