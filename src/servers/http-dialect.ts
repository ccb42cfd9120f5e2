import type { HttpFact } from '../model/http-fact.ts'

/** The HTTP interface of servers of a kind, beyond the common part (`/health`, `/v1/models`). */
export interface HttpDialect {
  /**
   * Whether it answers while it loads. If it does, silence at its open port means that all its threads are busy, or that it hangs; otherwise it
   * may be loading.
   */
  readonly answersWhileLoading: boolean
  /** A path that requires the key. */
  readonly keyPath: string
  /** How many requests it works on. */
  readonly requests: {
    /** Absent: its health includes the number, for clients with the key. */
    readonly path?: string
    /** Undefined: the answer has no number. */
    readonly read: (json: unknown) => number | undefined
    /** The same answer in full. Absent: it has no more than the number. */
    readonly load?: (json: unknown) => ServerLoad | undefined
    /** A flag with which an idle server unloads its model: a request for `path` could keep it loaded. Absent: none has one. */
    readonly sleepFlag?: string
  }
  /** From its health: chats completed since its start. Absent: it does not count them. */
  readonly completed?: (health: unknown) => number | undefined
  /** What the process actually runs. Absent: it does not report it. */
  readonly props?: { readonly path: string; readonly read: (json: unknown) => Props | undefined }
}

/** What a server is working on. */
export interface ServerLoad {
  /** Requests that it works on or that wait. */
  readonly busy: number
  /** How many it can work on at a time. */
  readonly slots: number
  /** Tokens that each request has received so far. Absent: it does not report them. */
  readonly written?: readonly SlotProgress[]
}

export interface SlotProgress {
  /** The slot and the request in it: a slot counts each request from 0. */
  readonly request: string
  readonly tokens: number
}

export type Props = Extract<HttpFact['props'], { readonly known: true }>['value']
