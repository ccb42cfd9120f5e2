import { recordField } from '../model/action.ts'
import type { DriftFinding } from '../model/drift.ts'

type Compared = Pick<DriftFinding, 'class' | 'field' | 'desired' | 'recorded' | 'actual'>

/**
 * `host: 2048, inventory: 4096 (as last applied)`: the three values of a field, for terminals and notifications.
 *
 * @param show a value as text; null: none
 */
export function comparedWords(finding: Compared, show: (value: string | null) => string): string {
  const { field, desired, recorded, actual } = finding
  if (finding.class === 'foreign') return show(actual)
  if (field === recordField && actual === null) return 'missing on the host'
  const here = `${field.startsWith('running.') ? 'running' : 'host'}: ${show(actual)}`
  const inventory = `inventory: ${show(desired)}`
  if (finding.class === 'both') return `${here}, last applied: ${show(recorded)}, ${inventory}`
  if (finding.class === 'pending') return `${here}${recorded === actual ? ' (as last applied)' : ''}, ${inventory}`
  return `${here}, ${inventory}${recorded === desired ? ' (as last applied)' : ''}`
}
