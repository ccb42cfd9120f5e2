/** A run that acted on a host and did not finish there, and what earlier runs left. */
export interface UnfinishedRun {
  readonly owner: string
  readonly controller: string
  readonly runId: string
  /** Seconds since the epoch by the host's own clock; absent if no longer in the log. */
  readonly begunAt?: number
  /** Services that it and earlier unfinished runs acted on, and no later run settled. */
  readonly services: readonly string[]
  /** Steps that started but have no end in the log: done, partly done, or not. */
  readonly inDoubt: readonly StepInDoubt[]
}

export interface StepInDoubt {
  readonly service: string
  /** Absent for records written after the proof. */
  readonly action?: string
  readonly step: string
}
