import type { FieldChange } from '../model/action.ts'
import { compareFields, type Effect, withPrefix } from './compare-fields.ts'
import type { Fields } from './flag-fields.ts'

/**
 * Compares two definitions field by field: `definition.command.--ctx-size: 65536 → 32768`. Empty where they differ only in what no
 * supervisor reads (comments, the order of flags), or where one cannot be parsed.
 *
 * @param from redacted text; null: there is none
 */
export function compareDefinition(
  read: (content: string) => Fields | undefined,
  from: string | null,
  to: string,
  effectOf: (field: string) => Effect,
): readonly FieldChange[] {
  const before = from === null ? {} : read(from)
  const after = read(to)
  if (before === undefined || after === undefined) return []
  return withPrefix('definition', compareFields(before, after, from === null ? () => 'none' : effectOf))
}
