import { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConvergeError } from '../../errors/converge-error.ts'
import { startChild } from '../child-process.ts'
import type { Endpoint } from '../errors/endpoint.ts'
import { proxyFailed } from '../errors/network-errors.ts'
import type { Route } from './connection.ts'

/** The streams of a program close before it has ended; so long its exit code is waited for. */
const patienceMs = 500

/** The stream that a ProxyCommand makes of its stdin and stdout. It is run by the user's shell, as ssh does it. */
export async function throughProxyCommand(
  command: string,
  endpoint: Endpoint,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Route> {
  const child = await startChild(env['SHELL'] ?? '/bin/sh', ['-c', `exec ${command}`], { env })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-2000)
  })
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin })
  stream.once('close', () => child.abandon())
  const explain = async (): Promise<ConvergeError | undefined> => {
    const { exitCode } = await Promise.race([child.closed, sleep(patienceMs, { exitCode: undefined })])
    return exitCode === undefined || exitCode === 0
      ? undefined
      : proxyFailed(endpoint, `ProxyCommand '${command}'`, `${said} (exit code ${exitCode})`)
  }
  return { stream, explain }
}
