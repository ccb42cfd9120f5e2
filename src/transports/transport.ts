import type { Duplex } from 'node:stream'
import type { SecretText } from '../model/secret.ts'

/**
 * How bytes reach a host. One instance is one connection to one host. A non-zero exit is a value; only a broken or refused
 * connection throws (a `ConvergeError` with a `CONNECT.*` code).
 */
export interface Transport {
  readonly host: string
  /** Runs a POSIX sh script, sent on stdin of `/bin/sh -s -- args`, never on a command line. */
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
  /** `$1`, `$2`, …; visible in the host's process list, so never secret. */
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
  /** Undefined when it ended by a signal, by time-out, or is not known (connection lost: that throws instead). */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
  readonly signal?: string
  readonly ms: number
}
