import type { Duplex } from 'node:stream'
import type { SecretText } from '../model/secret.ts'

/**
 * How bytes reach a host. One instance is one connection to one host. A non-zero exit is a value; only a broken or refused
 * connection throws (a `ConvergeError` with a `CONNECT.*` code), and an abort (with the signal's reason).
 */
export interface Transport {
  readonly host: string
  /**
   * Runs a POSIX sh script under the host's /bin/sh. Script and arguments travel on stdin, never on a command line; the script itself reads
   * from /dev/null. It is over when the script is, whatever it left running in the background. When its time is up or the signal
   * aborts, the whole process group on the host is ended first; when the connection breaks, the script goes on until its time is up.
   */
  exec(script: Script, options?: ExecOptions): Promise<CommandResult>
  /** A stream to `127.0.0.1:<port>` of the host, for HTTP. Throws when nothing listens there. */
  forward(port: number): Promise<Duplex>
  close(): Promise<void>
}

export interface Script {
  /** For messages and logs: `gather facts`, `write /etc/…`. */
  readonly label: string
  /** Secrets in it travel on stdin only. */
  readonly text: SecretText
  /** `$1`, `$2`, …; what the script hands them to may show them in the host's process list, so never secret. */
  readonly args: readonly string[]
  /** Run it as the host's become user, when the host is to become one at all. */
  readonly elevate: boolean
  readonly timeoutMs: number
}

export interface ExecOptions {
  readonly signal?: AbortSignal
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
  /** Set when the shell itself was killed: `KILL`, …, or `unknown` where the server does not tell. */
  readonly signal?: string
  readonly ms: number
}
