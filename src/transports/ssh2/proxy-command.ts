import { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConvergeError } from '../../errors/converge-error.ts'
import { startChild } from '../child-process.ts'
import type { Endpoint } from '../errors/endpoint.ts'
import { proxyFailed } from '../errors/network-errors.ts'
import type { Route } from './connection.ts'

/** How long to wait for a program's exit code after its streams closed. */
const patienceMs = 500

/** The stream of a ProxyCommand over its stdin and stdout. Runs it in the user's shell, as ssh does. */
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
