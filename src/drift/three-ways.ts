import type { FieldChange } from '../model/action.ts'
import type { DriftFinding } from '../model/drift.ts'

/** What would make a host as wanted, and what would make it as it was last applied. */
export interface ThreeWays {
  readonly wanted: readonly FieldChange[]
  readonly recorded: readonly FieldChange[]
  /** Fields that the last apply had to leave as they were, because they were refused. */
  readonly waits: readonly string[]
}

/**
 * Every field that is not as wanted, with who changed it. A field that is as wanted is no finding, although the record may say
 * otherwise: the host and the inventory came to the same.
 */
export function compareThreeWays(service: string, { wanted, recorded, waits }: ThreeWays): readonly DriftFinding[] {
  return wanted.map((change) => {
    const before = recorded.find((one) => isSameField(one, change))
    return finding(service, change, before, waits)
  })
}

/** The same where nobody knows what was last applied. */
export function compareTwoWays(
  service: string,
  wanted: readonly FieldChange[],
  { as, note }: { readonly as: DriftFinding['class']; readonly note: string },
): readonly DriftFinding[] {
  return wanted.map(({ field, from, to }) => ({
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

/** Values of keys never leave their files, so there is nothing to tell an old one from. */
const keyFields: ReadonlySet<string> = new Set(['key_file', 'running.key', 'definition.key'])
const keysAreNotRecorded = 'keys are not recorded: whether the inventory or the host has another one than before cannot be told'
const waited = 'it was refused at the last apply and has waited since'

/** What a process was started with is told by other fields once a newer definition lies beside it. */
function isWaiting(field: string, waits: readonly string[]): boolean {
  return waits.includes(field) || (field.startsWith('running.') && waits.some((one) => one.startsWith('running.')))
}

/** Several may have one name: files left beside a definition. */
function isSameField(a: FieldChange, b: FieldChange): boolean {
  return a.field === b.field && (a.field !== 'leftover' || a.from === b.from)
}
