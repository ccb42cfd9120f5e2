import type { Finding } from './overview.ts'

/** What is left of an earlier run where only its numbers are asked for. */
export interface PastRun {
  readonly runId: string
  readonly verb: string
  /** When it ended; ISO 8601. */
  readonly at: string
  /** Names of the hosts that it was about. */
  readonly hosts: readonly string[]
  /** Globs of services that it was held to. */
  readonly services: readonly string[]
  /** Facts that were kept stood in for the hosts. */
  readonly fromFacts: boolean
  /** How many of its hosts could not be looked at. */
  readonly unreachable: number
  /** How many findings of each level there were. */
  readonly findings: Readonly<Partial<Record<Finding['level'], number>>>
  /** By `host/service`: how many milliseconds its server took to complete what the smoke test asked, where it did. */
  readonly answerMs: Readonly<Record<string, number>>
}
