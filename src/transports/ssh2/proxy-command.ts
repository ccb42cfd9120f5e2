import { Duplex } from 'node:stream'
import { startChild } from '../child-process.ts'
import { proxyFailed } from '../errors/network-errors.ts'
import type { Place } from '../errors/place.ts'
import type { ProcessEnd } from '../remote/remote-process.ts'

/** The stream that a ProxyCommand makes of its stdin and stdout. It is run by the user's shell, as ssh does it. */
export async function throughProxyCommand(
  command: string,
  place: Place,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Duplex> {
  const child = await startChild(env['SHELL'] ?? '/bin/sh', ['-c', `exec ${command}`], { env })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-2000)
  })
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin })
  const report = ({ exitCode, signal }: ProcessEnd): void => {
    const failed = exitCode !== 0 && signal === undefined
    if (failed) stream.destroy(proxyFailed(place, `ProxyCommand '${command}'`, `${said} (exit code ${exitCode})`))
  }
  void child.closed.then(report)
  stream.once('close', () => child.abandon())
  return stream
}
