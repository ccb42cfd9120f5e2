import type { Duplex, Readable, Writable } from 'node:stream'
import type { ReadOnlyScript } from './read-only-script.ts'
import type { Script } from './script.ts'

/**
 * Read-only access to a host. A non-zero exit status is a value; only a broken or refused connection throws (a `ConvergeError` with a
 * `CONNECT.*` code), and an abort (with the signal's reason).
 */
export interface HostView {
  readonly host: string
  /** Like `exec` of a `Transport`, for scripts that change nothing. */
  look(script: ReadOnlyScript, options?: ExecOptions): Promise<CommandResult>
  /** A stream to `127.0.0.1:<port>` of the host, for HTTP. Throws if nothing listens there. */
  forward(port: number): Promise<Duplex>
}

/**
 * Access to a host. One instance is one connection to one host, or several if its server supports only one session per connection
 * (`connection-pool.ts`). Only code that changes hosts gets one.
 */
export interface Transport extends HostView {
  /**
   * Runs a POSIX sh script under the host's /bin/sh. Script and arguments travel on stdin, never on a command line; the script itself reads
   * from /dev/null. It is over when the script ends, whatever it left in the background. On timeout or abort the whole process group on the host
   * is ended first; if the connection breaks or this process dies, the host ends it, see `readOnly`.
   */
  exec(script: Script, options?: ExecOptions): Promise<CommandResult>
  close(): Promise<void>
}

export interface ExecOptions {
  readonly signal?: AbortSignal
  /**
   * The script's stdin, instead of /dev/null: sent as fast as the host reads it, and never buffered as a whole. If the connection breaks, or the
   * script is stopped, its input ends early; so the script must read it and check that it is complete.
   */
  readonly input?: Readable
  /**
   * Receives stdout as bytes, with backpressure; it is not ended, and `stdout` of the result is empty. Not redacted: it is for files, which are
   * not displayed.
   */
  readonly output?: Writable
}

/** Also the result of a failure. Output is decoded as UTF-8 with invalid bytes replaced; it contains no secrets of this run. */
export interface CommandResult {
  /**
   * Undefined if the shell was killed or on timeout. A process in the script that a signal ended shows as 128 plus the signal's number, as in
   * shells; some programs use such codes themselves.
   */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
  /** Its `watch` ended it; there is no exit code then. */
  readonly unwatched?: true
  /** Set if the shell itself was killed: `KILL`, …, or `unknown` if the server does not report it. */
  readonly signal?: string
  readonly ms: number
}
