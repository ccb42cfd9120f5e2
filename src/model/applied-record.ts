import type { Override } from './operation.ts'

/** One per service, written on the host after a successful apply; holds no secret. */
export interface AppliedRecord {
  readonly service: string
  /** `com.<org>.<service>` */
  readonly mark: string
  readonly runId: string
  /** ISO 8601. */
  readonly appliedAt: string
  readonly definitionDigest: string
  /** The definition is the user's own: converge has not written it. */
  readonly adopted?: true
  /** The desired state, field by field, for three-way comparison. */
  readonly wanted: Readonly<Record<string, unknown>>
  /** Fields that were refused then, so that the host does not have them: `state`, `running.command.--ctx`. Absent: none. */
  readonly waits?: readonly string[]
  /** A state that a person asked for in place of the inventory's. Absent: none. It may have ended. */
  readonly override?: Override
  /** Absent: converge never started it and saw it come up. */
  readonly warmup?: WarmUp
}

/** How long a server took from its start, as seen by the proof that followed. */
export interface WarmUp {
  /** Seconds until it was healthy. */
  readonly healthyS: number
  /** Seconds until the first request was answered: a chat, an embedding or a rerank; absent: none was made. */
  readonly completionS?: number
  /** Seconds that this chat itself took; absent also in records of older versions. */
  readonly chatS?: number
  /** It was already healthy at the first check, so it may have been faster. */
  readonly atMost?: true
  /** ISO 8601. */
  readonly measuredAt: string
  /** SHA-256 over paths, sizes and times of its model files. */
  readonly model: string
  readonly definitionDigest: string
}

/** Effect of a step on it; distinguishes such steps in a journal. */
export type RecordStep = 'write' | 'forget'
