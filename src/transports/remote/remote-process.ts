import type { Readable, Writable } from 'node:stream'
import type { Flow } from './flow.ts'

/** A shell that was started at the other end of a connection, whatever the connection is. */
export interface RemoteProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** What comes from there: with ssh2 one for all processes of a host. */
  readonly flow: Flow
  /** Settles when it is over and its streams are read; never rejects. */
  readonly closed: Promise<ProcessEnd>
  /** Lets go of it. What runs on the host is ended by its own timer, if it does not end by itself. */
  abandon(): void
}

export interface ProcessEnd {
  readonly exitCode?: number
  /** `TERM`, `KILL`, … where the other side tells. */
  readonly signal?: string
  /** Set when the connection broke: why, as far as known. */
  readonly lost?: string
  /** The program to start does not exist on this machine. */
  readonly missing?: true
}
