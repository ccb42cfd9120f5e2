import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { Host } from '../../src/model/fleet.ts'
import { openTransport } from '../../src/transports/open-transport.ts'
import type { TransportOptions } from '../../src/transports/transport-options.ts'
import { type Sshd, type SshdOptions, startSshd } from './sshd.ts'
import { script, transportOptions } from './transport-options.ts'

export interface Answer {
  readonly stdout: string
  /** The messages shown to a person. */
  readonly notices: readonly string[]
}

/** Connects, runs one script and lets go. */
export async function ask(host: Host, options: Partial<TransportOptions>, text = 'echo here'): Promise<Answer> {
  const all = transportOptions(options)
  const transport = await openTransport(host, all)
  try {
    return { stdout: (await transport.exec(script(text))).stdout, notices: all.notices }
  } finally {
    await transport.close()
  }
}

/** The error that a person would see; anything else that is thrown goes on, and so does a success. */
export async function failure(attempt: Promise<unknown>): Promise<ConvergeError> {
  const error: unknown = await attempt.then(
    () => new Error('it worked'),
    (reason: unknown) => reason,
  )
  if (error instanceof ConvergeError) return error
  throw error
}

/** A server for one test. */
export async function aServer(options: SshdOptions = {}): Promise<Sshd> {
  const sshd = await startSshd(options)
  onTestFinished(() => sshd.stop())
  return sshd
}

/** A client config of the test's own, for `ssh -F`. */
export async function writeConfig(sshd: Sshd, lines: readonly string[]): Promise<string> {
  const file = join(sshd.directory, 'own_config')
  await writeFile(file, `${lines.join('\n')}\n`)
  return file
}
