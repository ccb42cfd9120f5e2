import { setTimeout as pause } from 'node:timers/promises'
import type { RemoteProcess } from '../remote/remote-process.ts'
import { openSession, refusalReason } from './channels.ts'
import type { Ssh2Connection } from './connection.ts'

/** Pauses before the second, third, … attempt, in milliseconds. */
const pausesMs = [20, 100, 300, 1000]

/**
 * Starts a command, and retries if the server opened a channel but then rejected the command. Dropbear does that if sessions share a
 * connection, see `mixesUpSessions`: here, if it refused another connection. The script cannot have run: it is sent only to an accepted
 * command. A server that rejects all commands keeps the channel of each attempt until the connection ends, because ssh2 exposes no handle for
 * it; so there are few attempts. The last pause is for a server short of CPU time, where the other command also takes longer to end.
 */
export async function startSession(connection: Ssh2Connection, line: string, label: string): Promise<RemoteProcess> {
  for (const pauseMs of pausesMs) {
    try {
      return await openSession(connection, line, label)
    } catch (error) {
      if (!isNotTaken(error)) throw error
      await pause(pauseMs)
    }
  }
  return openSession(connection, line, label)
}

/** ssh2 has no code for it; the error of a channel that was not opened at all has a reason. */
function isNotTaken(error: unknown): boolean {
  return error instanceof Error && error.message === 'Unable to exec' && refusalReason(error) === undefined
}
