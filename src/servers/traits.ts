import type { ServerKindName } from '../model/names.ts'
import { serverKinds } from './index.ts'

/** Whether servers of a kind load a GGUF file; the parts of one are files of their own. */
export function loadsGguf(kind: ServerKindName): boolean {
  return serverKinds[kind].model === 'gguf'
}

/** Whether servers of a kind load a folder. */
export function loadsFolder(kind: ServerKindName): boolean {
  return serverKinds[kind].model === 'folder'
}

/** Whether servers of a kind may be restarted freely. */
export function restartsCheaply(kind: ServerKindName): boolean {
  return serverKinds[kind].restart === 'cheap'
}

/** Whether servers of a kind keep to a budget that they are given. */
export function hasBudget(kind: ServerKindName): boolean {
  return serverKinds[kind].memory === 'budget'
}

/** Whether two servers of a kind are in each other's way on a small machine. */
export function needsPageCache(kind: ServerKindName): boolean {
  return serverKinds[kind].needsPageCache
}
