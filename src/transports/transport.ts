import type { Duplex, Readable, Writable } from 'node:stream'
import type { ReadOnlyScript } from './read-only-script.ts'
import type { Script } from './script.ts'

/**
 * A host for those who only look at it. A non-zero exit is a value; only a broken or refused connection throws (a `ConvergeError` with
 * a `CONNECT.*` code), and an abort (with the signal's reason).
 */
export interface HostView {
  readonly host: string
  /** As `exec` of a `Transport`, for scripts that change nothing. */
  look(script: ReadOnlyScript, options?: ExecOptions): Promise<CommandResult>
  /** A stream to `127.0.0.1:<port>` of the host, for HTTP. Throws when nothing listens there. */
  forward(port: number): Promise<Duplex>
}

/**
 * How bytes reach a host. One instance is one connection to one host, or several where its server bears one session on each
 * (`connection-pool.ts`). Only what is going to change something is given one.
 */
export interface Transport extends HostView {
  /**
   * Runs a POSIX sh script under the host's /bin/sh. Script and arguments travel on stdin, never on a command line; the script itself reads
   * from /dev/null. It is over when the script is, whatever it left running in the background. When its time is up or the signal
   * aborts, the whole process group on the host is ended first; when the connection breaks or this process dies, the host ends it, see
   * `readOnly`.
   */
  exec(script: Script, options?: ExecOptions): Promise<CommandResult>
  close(): Promise<void>
}

export interface ExecOptions {
  readonly signal?: AbortSignal
  /**
   * What the script reads on its stdin, in place of /dev/null: as fast as the host takes it, and never held whole. Where the connection
   * breaks, or the script is to be ended, its input ends; so a script that is given one has to read it, and to judge whether it is whole.
   */
  readonly input?: Readable
  /**
   * Takes stdout as bytes, as they come and as fast as it takes them; it is not ended, and `stdout` of the result is empty. Nothing of it is
   * redacted: it is for files, which nobody prints.
   */
  readonly output?: Writable
}

/** Failure has the shape of success. Output is decoded as UTF-8, wrong bytes replaced; secrets of this run are not in it. */
export interface CommandResult {
  /**
   * Undefined when the shell was killed or the time was up. A process that a signal ended inside the script shows as shells show it: 128 and
   * the signal's number; some programs use such codes themselves.
   */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
  /** Its `watch` said no, so it was ended; there is no exit code then. */
  readonly unwatched?: true
  /** Set when the shell itself was killed: `KILL`, …, or `unknown` where the server does not tell. */
  readonly signal?: string
  readonly ms: number
}
