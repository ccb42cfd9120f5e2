import type { BatchSize } from '../model/playbook.ts'

/**
 * Splits hosts into the batches of a play: sizes in order, the last one repeats. A percentage is of all hosts of the play, rounded
 * down, at least one host. Without sizes there is one batch.
 */
export function makeBatches<T>(hosts: readonly T[], sizes: readonly BatchSize[] | undefined): readonly (readonly T[])[] {
  if (hosts.length === 0) return []
  if (sizes === undefined || sizes.length === 0) return [hosts]
  const batches: T[][] = []
  for (let start = 0; start < hosts.length; ) {
    const size = sizes[Math.min(batches.length, sizes.length - 1)]
    const count = size === undefined ? hosts.length : countOf(size, hosts.length)
    batches.push(hosts.slice(start, start + count))
    start += count
  }
  return batches
}

function countOf(size: BatchSize, all: number): number {
  const count = 'count' in size ? size.count : Math.floor((all * size.percent) / 100)
  return Math.max(1, Math.floor(count))
}

/** Whether more than the allowed share of a batch failed. Unreachable hosts count as failed. */
export function isOverLimit(failed: number, batchSize: number, maxFailPercentage: number): boolean {
  return batchSize > 0 && (failed * 100) / batchSize > maxFailPercentage
}
