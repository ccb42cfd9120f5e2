import type { Finding } from './overview.ts'

/** The figures of an earlier run. */
export interface PastRun {
  readonly runId: string
  readonly verb: string
  /** When it ended; ISO 8601. */
  readonly at: string
  /** Names of its hosts. */
  readonly hosts: readonly string[]
  /** Globs of selected services. */
  readonly services: readonly string[]
  /** It used a facts snapshot instead of the hosts. */
  readonly fromFacts: boolean
  /** Number of its hosts that could not be observed. */
  readonly unreachable: number
  /** Number of findings by level. */
  readonly findings: Readonly<Partial<Record<Finding['level'], number>>>
  /** By `host/service`: milliseconds until its server answered the request of the smoke test, if it did. */
  readonly answerMs: Readonly<Record<string, number>>
}
