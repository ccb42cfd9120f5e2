import { ConvergeError } from '../../errors/converge-error.ts'
import type { Host } from '../../model/fleet.ts'
import { createElevation } from '../elevation.ts'
import { channelRefused } from '../errors/session-errors.ts'
import { loginShellLine } from '../remote/remote-command.ts'
import type { RemoteProcess } from '../remote/remote-process.ts'
import { scriptsThrough } from '../run-script.ts'
import { createSessionSlots } from '../session-slots.ts'
import type { Transport } from '../transport.ts'
import type { TransportOptions } from '../transport-options.ts'
import { reachFor } from './bastions.ts'
import { openForward, refusalReason } from './channels.ts'
import { connectSsh2 } from './connection.ts'
import { startSession } from './start-session.ts'

/** How long a session that gave its result may take to close before its place is given to the next. */
const closingMs = 3_000

/** The built-in SSH client. Throws `NeedsOpenSsh` where only the user's own ssh will do. */
export async function openSsh2(host: Host, options: TransportOptions): Promise<Transport> {
  const { address, ...rest } = host.connection
  const connection = await connectSsh2({ ...rest, name: address }, host.name, reachFor(options), options)
  const { place } = connection
  const slots = createSessionSlots((error) => refusalReason(error) !== undefined)
  const runner = {
    place,
    elevation: createElevation(host.connection, place, options),
    redact: (text: string) => options.redact?.(text) ?? text,
    async start(words: readonly string[], label: string): Promise<RemoteProcess> {
      const line = loginShellLine(words)
      return slots
        .run(async () => {
          const process = await startSession(connection, line, label)
          return { value: process, released: process.closed }
        })
        .catch((error: unknown) => {
          throw error instanceof ConvergeError
            ? error
            : channelRefused(place, error instanceof Error ? error.message : String(error))
        })
    },
    async release(process: RemoteProcess): Promise<void> {
      const timer = setTimeout(() => process.abandon(), closingMs)
      await process.closed
      clearTimeout(timer)
    },
  }
  return {
    host: host.name,
    ...scriptsThrough(runner),
    forward: (port) => openForward(connection, port),
    close: () => connection.close(),
  }
}
