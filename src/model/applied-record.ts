/** One per service, written on the host after a successful apply; holds no secret. */
export interface AppliedRecord {
  readonly service: string
  /** `com.<org>.<service>` */
  readonly mark: string
  readonly runId: string
  /** ISO 8601. */
  readonly appliedAt: string
  readonly definitionDigest: string
  /** What was asked for, field by field, for three-way comparison. */
  readonly wanted: Readonly<Record<string, unknown>>
  /** Fields that were refused then, so that the host was left without them: `state`, `running.command.--ctx`. Absent: none. */
  readonly waits?: readonly string[]
  /** Absent: converge never started it and saw it come up. */
  readonly warmup?: WarmUp
}

/** How long a server took from the moment it was started, as seen by the proof that followed. */
export interface WarmUp {
  /** Seconds until it was healthy. */
  readonly healthyS: number
  /** Seconds until the first chat was completed; absent: none was asked for. */
  readonly completionS?: number
  /** It was healthy when it was first looked at, so that it took no longer, and may have been quicker. */
  readonly atMost?: true
  /** ISO 8601. */
  readonly measuredAt: string
  /** SHA-256 over paths, sizes and times of the model files it was started with. */
  readonly model: string
  readonly definitionDigest: string
}

/** What a step does with it; by that a journal tells such a step from others of a service. */
export type RecordStep = 'write' | 'forget'
