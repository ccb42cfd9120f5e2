import type { FieldChange } from '../model/action.ts'
import type { ServerKindName } from '../model/names.ts'
import { restartsCheaply } from '../servers/traits.ts'
import type { Fields } from './flag-fields.ts'

export type Effect = FieldChange['effect']

/** Every field that differs, by name. `null`: missing. */
export function compareFields(from: Fields, to: Fields, effectOf: (field: string) => Effect): readonly FieldChange[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].toSorted()
  return names
    .filter((name) => from[name] !== to[name])
    .map((field) => ({ field, from: from[field] ?? null, to: to[field] ?? null, effect: effectOf(field) }))
}

/** What it costs to apply a change to a running server of this kind. */
export function restartOf(kind: ServerKindName): Effect {
  return restartsCheaply(kind) ? 'cheap-restart' : 'costly-restart'
}

/** The same for each field, except for the time that a server has to stop: it may keep the time it was started with. */
export function restartUnless(stopTimeout: string, kind: ServerKindName): (field: string) => Effect {
  return (field) => (field === stopTimeout ? 'none' : restartOf(kind))
}

export function withPrefix(prefix: string, changes: readonly FieldChange[]): readonly FieldChange[] {
  return changes.map((change) => ({ ...change, field: `${prefix}.${change.field}` }))
}
