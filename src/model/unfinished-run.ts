/** A run that acted on a host and did not come to its end there, and what runs before it left. */
export interface UnfinishedRun {
  readonly owner: string
  readonly controller: string
  readonly runId: string
  /** Seconds since the epoch by the host's own clock; absent where the log does not tell any more. */
  readonly begunAt?: number
  /** What it and unfinished runs before it acted on and no later run settled. */
  readonly services: readonly string[]
  /** Steps that were begun and have no end in the log: done, partly done, or not. */
  readonly inDoubt: readonly StepInDoubt[]
}

export interface StepInDoubt {
  readonly service: string
  /** Absent for what is remembered after the proof. */
  readonly action?: string
  readonly step: string
}
