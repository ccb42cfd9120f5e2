import type { HeldFile } from '../model/file-identity.ts'

/** A process as the probe described it, before anybody judged what it is. */
export interface ProcessRecord {
  readonly pid: number
  readonly ppid: number
  readonly start: string
  /** Seconds since the epoch. */
  readonly startedAt?: number
  /** When it was looked at, by the same clock. */
  readonly seenAt?: number
  readonly user: string
  readonly command: string
  readonly argv: readonly string[]
  readonly rssBytes: number
  readonly anonBytes?: number
  readonly cgroup: readonly string[]
  readonly executable?: HeldFile
  readonly mapped?: readonly HeldFile[]
  readonly ownRoot?: true
  /** Absent: it could not be read. */
  readonly env?: Readonly<Record<string, string>>
}

export interface ProcessTable {
  readonly processes: readonly ProcessRecord[]
  /** Cgroup lines of the host's first process: what they share with all others says nothing. */
  readonly firstCgroup: readonly string[]
}
