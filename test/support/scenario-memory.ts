import type { MemoryFact } from '../../src/model/memory-fact.ts'
import { gibibyte } from './build.ts'

export interface ScenarioMemory {
  readonly totalGb: number
  readonly availableGb: number
  /** Of a Mac. */
  readonly wiredGb?: number
  /** What the GPU of a Mac may hold, if it was set. */
  readonly gpuGb?: number
}

export function memoryOf({ totalGb, availableGb, gpuGb, wiredGb }: ScenarioMemory): MemoryFact {
  const gpu = gpuGb === undefined ? {} : { gpuLimitBytes: gpuGb * gibibyte }
  return {
    totalBytes: totalGb * gibibyte,
    availableBytes: availableGb * gibibyte,
    ...gpu,
    ...(wiredGb === undefined ? {} : { wiredBytes: wiredGb * gibibyte }),
  }
}
