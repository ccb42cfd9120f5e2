import type { FieldChange } from '../model/action.ts'
import type { DriftFinding } from '../model/drift.ts'

/** The changes to the desired state, and those to the last applied state. */
export interface ThreeWays {
  readonly desired: readonly FieldChange[]
  readonly recorded: readonly FieldChange[]
  /** Fields that the last apply did not change, because they were refused. */
  readonly waits: readonly string[]
}

/**
 * Every field that differs from the desired state, with who changed it. A field in its desired state is no finding, even if the record differs:
 * the host and the inventory agree.
 */
export function compareThreeWays(service: string, { desired, recorded, waits }: ThreeWays): readonly DriftFinding[] {
  return desired.map((change) => {
    const before = recorded.find((one) => isSameField(one, change))
    return finding(service, change, before, waits)
  })
}

/** The same if the last apply is unknown. */
export function compareTwoWays(
  service: string,
  desired: readonly FieldChange[],
  { as, note }: { readonly as: DriftFinding['class']; readonly note: string },
): readonly DriftFinding[] {
  return desired.map(({ field, from, to }) => ({
    service,
    field,
    class: as,
    desired: to,
    recorded: null,
    actual: from,
    ...(as === 'drift' ? { note } : {}),
  }))
}

function finding(
  service: string,
  { field, from, to }: FieldChange,
  before: FieldChange | undefined,
  waits: readonly string[],
): DriftFinding {
  const values = { service, field, desired: to, actual: from }
  if (before === undefined || before.to === from) return { ...values, class: 'pending', recorded: from }
  if (keyFields.has(field)) return { ...values, class: 'drift', recorded: null, note: keysAreNotRecorded }
  if (before.to !== to) return { ...values, class: 'both', recorded: before.to }
  if (isWaiting(field, waits)) return { ...values, class: 'pending', recorded: before.to, note: waited }
  return { ...values, class: 'drift', recorded: before.to }
}

/** Key values never leave their files, so an old key cannot be recognised. */
const keyFields: ReadonlySet<string> = new Set(['key_file', 'running.key', 'definition.key'])
const keysAreNotRecorded = 'keys are not recorded, so whether the inventory or the host changed is unknown'
const waited = 'the last apply refused it'

/** Once a newer definition is on disk, other `running.` fields may describe the same waiting restart. */
function isWaiting(field: string, waits: readonly string[]): boolean {
  return waits.includes(field) || (field.startsWith('running.') && waits.some((one) => one.startsWith('running.')))
}

/** Several leftovers share one field name. */
function isSameField(a: FieldChange, b: FieldChange): boolean {
  return a.field === b.field && (a.field !== 'leftover' || a.from === b.from)
}
