import type { HttpFact } from '../model/http-fact.ts'

/** What servers of a kind answer on their own port, beside what all of them do (`/health`, `/v1/models`). */
export interface HttpDialect {
  /**
   * Whether it answers while it loads. One that does, and is silent at its open port, has all its threads in use, or hangs; of any
   * other that may mean that it loads.
   */
  readonly answersWhileLoading: boolean
  /** A path that opens only to the key. */
  readonly keyPath: string
  /** How many requests it works on. */
  readonly requests: {
    /** Absent: its health says so, to who has the key. */
    readonly path?: string
    /** Undefined: the answer does not say. */
    readonly read: (json: unknown) => number | undefined
  }
  /** From its health: chats completed since it started. Absent: it does not count them. */
  readonly completed?: (health: unknown) => number | undefined
  /** What the process really runs. Absent: it does not say. */
  readonly props?: { readonly path: string; readonly read: (json: unknown) => Props | undefined }
}

export type Props = Extract<HttpFact['props'], { readonly known: true }>['value']
