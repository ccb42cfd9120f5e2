import type { Resident } from '../model/facts.ts'

/** A process as the probe described it, before it is classified. */
export interface ProcessRecord extends Omit<Resident, 'role' | 'program' | 'port' | 'container' | 'unit'> {
  readonly cgroup: readonly string[]
}

export interface ProcessTable {
  readonly processes: readonly ProcessRecord[]
  /** Cgroup lines of the host's first process: what other processes share with them says nothing. */
  readonly firstCgroup: readonly string[]
}
