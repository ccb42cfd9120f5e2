import type { KeyPath } from '../model/source.ts'

/** How many layers of its model a server would put on the GPU. */
export interface GpuLayers {
  readonly offloads: boolean
  readonly words: string
  /** How many the inventory asks for; undefined: it leaves that to the server. */
  readonly asked?: string
  /** What decides it. */
  readonly key: KeyPath
}
