import type { FieldChange } from '../model/action.ts'
import type { ServerKindName } from '../model/names.ts'
import { settingNamed } from '../servers/setting-named.ts'

/** Joins the changes of one setting under several names, and drops those that change nothing: `-c`, `--ctx-size`, `LLAMA_ARG_CTX_SIZE`. */
export function oneBySetting(changes: readonly FieldChange[], kind: ServerKindName): readonly FieldChange[] {
  const groups = Map.groupBy(changes, (change) => settingNamed(kind, wordIn(change))?.field ?? change.field)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined || group.length === 1) return group
    const from = group.find((one) => one.from !== null)?.from ?? null
    const desired = group.find(({ to }) => to !== null)
    const to = desired?.to ?? null
    return from === to ? [] : [{ ...(desired ?? first), from, to }]
  })
}

/** The field of a definition or process without the layer that it is compared in. */
export function nameIn({ field }: FieldChange): string {
  return field.replace(/^(running|definition)\./, '')
}

/** The flag or variable that a field is about. */
export function wordIn(change: FieldChange): string {
  return nameIn(change).replace(/^(command|environment)\./, '')
}
