import type { Action, ActionKind } from '../model/action.ts'

const kinds: ReadonlySet<ActionKind> = new Set(['install', 'update', 'adopt', 'release'])

/** Whether an action is planned for a definition that another wrote too: rules have judged that, so the host does not look for our label. */
export function mayBeForeign({ kind }: Action): boolean {
  return kinds.has(kind)
}
