import type { SourceRef } from './source.ts'

/** One play: hosts and services, batches, and the level of verification. */
export interface Play {
  readonly name: string
  /** An Ansible host pattern. */
  readonly hosts: string
  /** Service globs; a service matches if any does. */
  readonly services: readonly string[]
  /** Batch sizes in order, the last repeats; absent: all hosts at once. */
  readonly serial?: readonly BatchSize[]
  /** Unreachable hosts count as failed. */
  readonly maxFailPercentage: number
  /** The playbook itself says it; absent: the default. */
  readonly limitsFailures?: true
  readonly verify: VerifyLevel
  /** How many times as long as before a chat of a started server may take; absent: it is not compared. */
  readonly maxSlowdown?: number
  readonly approvals: readonly Approval[]
}

export type BatchSize = { readonly count: number } | { readonly percent: number }

export type VerifyLevel = 'none' | 'health' | 'smoke'

/** Overrules one refusal code for some services; from a playbook or from `--allow … --reason`. */
export interface Approval {
  readonly code: string
  /** Glob over service names. */
  readonly service: string
  /** Glob over host names; absent: any host. */
  readonly host?: string
  readonly reason: string
  /** ISO 8601 instant after which it expires. */
  readonly until?: string
  /** `--allow` or the playbook's line, for messages. */
  readonly origin: { readonly flag: string } | SourceRef
}

/** As `--allow` gave it. */
export type GivenApproval = Pick<Approval, 'code' | 'service' | 'host' | 'reason'>

/** The play of a run without a playbook. */
export const defaultPlayName = 'all selected hosts'
