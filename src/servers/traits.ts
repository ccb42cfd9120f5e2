import type { Resident } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import type { ServerKindName } from '../model/names.ts'
import type { GpuLayers } from './gpu-layers.ts'
import { serverKinds } from './index.ts'

/** A kind as people read it: `A (gguf)`. */
export function kindWords(kind: ServerKindName): string {
  return `${kind} (${serverKinds[kind].label})`
}

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

/** Whether servers of a kind have a budget. */
export function hasBudget(kind: ServerKindName): boolean {
  return serverKinds[kind].memory.by === 'budget'
}

/** Whether servers of a kind compete with each other on a small machine. */
export function needsPageCache(kind: ServerKindName): boolean {
  return serverKinds[kind].needsPageCache
}

/** Whether a resident server competes with one that needs the page cache; servers of other programs are assumed to. */
export function takesPageCache(kind: ServerKindName | 'runner'): boolean {
  return kind === 'runner' || needsPageCache(kind)
}

/** Whether servers of a kind read their key file themselves. */
export function readsKeyFile(kind: ServerKindName): boolean {
  return serverKinds[kind].keyFile === 'bare'
}

/** Whether the value is the name of a kind. */
export function isServerKind(name: unknown): name is ServerKindName {
  return typeof name === 'string' && Object.hasOwn(serverKinds, name)
}

/** How much of its model a server would offload to a GPU; undefined: its kind uses none. */
export function gpuLayersOf(service: Service): GpuLayers | undefined {
  return serverKinds[service.kind].gpuLayers?.(service)
}

/** Whether a child process does the work of this process. */
export function hasEngine({ role }: Pick<Resident, 'role'>): boolean {
  return isServerKind(role) && serverKinds[role].recognition.hasEngine
}
