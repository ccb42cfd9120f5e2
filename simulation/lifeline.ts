import type { ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'

/**
 * A real supervisor lives as long as its machine. A simulated one may be killed, and no server should outlive it: each holds the other
 * end of a pipe that nothing is ever written to, and exits when the pipe closes.
 */
const descriptor = 3

/** Makes a server watch its lifeline. */
export const lifelineVariable = { SIMULATED_LIFELINE: String(descriptor) } as const

/** The supervisor's end; the child was spawned with a pipe as its fourth stream. */
export function holdLifeline({ stdio }: ChildProcess): void {
  const held = stdio[descriptor]
  held?.on('error', () => undefined)
  if (held instanceof Socket) held.unref()
}

/** The server's end. */
export function endWithSupervisor(): void {
  if (process.env['SIMULATED_LIFELINE'] === undefined) return
  new Socket({ fd: descriptor })
    .on('error', () => process.exit(0))
    .on('close', () => process.exit(0))
    .resume()
    .unref()
}
