import type { FieldChange } from '../model/action.ts'
import { isEndpoints } from './endpoints-files.ts'
import { logRuleField } from './log-rotation.ts'

/** Whether a change of the machine is about a sleep timer. */
export function isTimer(change: Pick<FieldChange, 'field'>): boolean {
  return change.field !== logRuleField && !isEndpoints(change)
}
