/** RAM in bytes. */
export interface MemoryFact {
  readonly totalBytes: number
  /** Free plus reclaimable page cache, never more than a cgroup allows. */
  readonly availableBytes: number
  readonly cgroupLimitBytes?: number
  /** macOS: pages that stay in RAM, as those that the GPU uses. */
  readonly wiredBytes?: number
  /** macOS: the GPU's working-set limit, if set. */
  readonly gpuLimitBytes?: number
}
