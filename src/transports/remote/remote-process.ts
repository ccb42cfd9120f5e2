import type { Readable, Writable } from 'node:stream'
import type { Flow } from './flow.ts'

/** A shell at the other end of any kind of connection. */
export interface RemoteProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Backpressure; with ssh2 shared by all processes of a host. */
  readonly flow: Flow
  /** Settles when the process has ended and its streams are read; never rejects. */
  readonly closed: Promise<ProcessEnd>
  /** Gives it up. The host's own timer ends what still runs there. */
  abandon(): void
}

export interface ProcessEnd {
  readonly exitCode?: number
  /** `TERM`, `KILL`, … if the other side reports it. */
  readonly signal?: string
  /** Set if the connection broke: why, as far as known. */
  readonly lost?: string
  /** The program to start does not exist on this machine. */
  readonly missing?: true
}
