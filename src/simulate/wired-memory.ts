import type { HostFacts } from '../model/facts.ts'
import type { Observed } from '../model/observed.ts'
import type { SimulatedResident, WiredMemory } from './host-state.ts'

const gibibyte = 1024 ** 3

/**
 * As observed, before any action. Undefined: not reported, or it is unknown whose it is. The system does not show how much of it a process
 * holds, so a server counts with all that it needs, and of a server that is no service of the inventory that is unknown.
 */
export function wiredMemory(
  { memory, residents }: Pick<HostFacts, 'memory' | 'residents'>,
  simulated: Observed<readonly SimulatedResident[]>,
): WiredMemory | undefined {
  if (!memory.known || memory.value.wiredBytes === undefined || !residents.known || !simulated.known) return undefined
  if (residents.value.some(({ role }) => role === 'runner')) return undefined
  const needs = simulated.value.map(({ service, ownBytes, mappedBytes, dueBytes }) =>
    service === null || !dueBytes.known ? undefined : ownBytes + mappedBytes + dueBytes.value,
  )
  if (needs.includes(undefined)) return undefined
  const { totalBytes, wiredBytes } = memory.value
  return {
    bytes: wiredBytes,
    usual: usuallyWired(totalBytes),
    servers: needs.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0),
  }
}

/**
 * Without a model server, about 5 GiB are wired on a Mac with 512 GB (reported in 2026 for macOS 26.5), and less on smaller ones. Programs that use
 * the GPU, and virtual machines, wire some more.
 */
function usuallyWired(totalBytes: number): number {
  return Math.max(8 * gibibyte, totalBytes / 10)
}
