import type { FieldChange } from '../model/action.ts'
import type { ServerKindName } from '../model/names.ts'
import { canonicalSetting } from '../servers/same-setting.ts'

/** Joins the changes of one setting under several names, and drops those that change nothing: `-c`, `--ctx-size`, `LLAMA_ARG_CTX_SIZE`. */
export function oneBySetting(changes: readonly FieldChange[], kind: ServerKindName): readonly FieldChange[] {
  const groups = Map.groupBy(changes, (change) => groupOf(change, kind))
  return [...groups.values()].flatMap((group) => {
    const removed = group.filter(({ to }) => to === null)
    const [gone] = removed
    const added = group.find(({ from }) => from === null)
    // Which of several removed ones counted depends on their order. A launch may add one under two names.
    if (gone === undefined || added === undefined || removed.length > 1) return group
    return gone.from === added.to ? [] : [{ ...added, from: gone.from }]
  })
}

function groupOf(change: FieldChange, kind: ServerKindName): string {
  const word = wordIn(change)
  return word === nameIn(change) ? change.field : canonicalSetting(kind, word)
}

/** The field of a definition or process without the layer that it is compared in. */
export function nameIn({ field }: Pick<FieldChange, 'field'>): string {
  return field.replace(/^(running|definition)\./, '')
}

/** The flag or variable that a field is about. */
export function wordIn(change: Pick<FieldChange, 'field'>): string {
  return nameIn(change).replace(/^(command|environment)\./, '')
}
