import type { KeyPath } from '../model/source.ts'

/** How many layers of its model a server would offload to the GPU. */
export interface GpuLayers {
  readonly offloads: boolean
  readonly words: string
  /** The number in the inventory; undefined: the server decides. */
  readonly asked?: string
  /** The deciding key in the inventory. */
  readonly key: KeyPath
}
