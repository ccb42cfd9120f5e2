import type { Observed } from './observed.ts'

/** Answers of a server on its own port. A status of 0 means: connected, no answer within the time. */
export interface HttpFact {
  readonly health: HttpAnswer
  /** Where it was asked, when that is not the port it wants: where it listens until a change is applied. */
  readonly port?: number
  /** Model ids the server lists; unknown when the list could not be had. */
  readonly models: Observed<readonly string[]>
  /** Kind A `/props`: what the process really runs. */
  readonly props: Observed<{
    readonly nCtx?: number
    readonly modelPath?: string
    readonly alias?: string
    readonly build?: string
  }>
  /** Requests being worked on: Kind A's slots, Kind B's scheduler. */
  readonly busy: Observed<number>
  /** Chat completions finished since the start, where the server counts them; more than none means warm. */
  readonly completed: Observed<number>
  /** Whether our key was taken on a protected path; where none is configured, false for a server that turns away who has none. */
  readonly keyAccepted: Observed<boolean>
}

export interface HttpAnswer {
  readonly status: number
  readonly ms: number
}
