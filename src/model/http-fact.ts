import type { Observed } from './observed.ts'

/** Answers of a server on its own port. A status of 0 means: connected, but no answer in time. */
export interface HttpFact {
  readonly health: HttpAnswer
  /** The port it was asked on, if that is not the desired one: where it listens until a change is applied. */
  readonly port?: number
  /** Model ids the server lists; unknown if it gave no list. */
  readonly models: Observed<readonly string[]>
  /** Kind A `/props`: what the process actually runs. */
  readonly props: Observed<{
    readonly nCtx?: number
    readonly modelPath?: string
    readonly alias?: string
    readonly build?: string
  }>
  /** Requests in progress: Kind A's slots, Kind B's scheduler. */
  readonly busy: Observed<number>
  /** Chat completions since the start, if the server counts them; more than none means warm. */
  readonly completed: Observed<number>
  /** Whether a protected path accepted our key; without a configured key, false if the server requires one. */
  readonly keyAccepted: Observed<boolean>
}

export interface HttpAnswer {
  readonly status: number
  readonly ms: number
}
