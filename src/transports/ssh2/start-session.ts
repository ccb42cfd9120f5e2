import { setTimeout as pause } from 'node:timers/promises'
import type { RemoteProcess } from '../remote/remote-process.ts'
import { openSession, refusalReason } from './channels.ts'
import type { Ssh2Connection } from './connection.ts'

/** Pauses before the second, third, … attempt, in milliseconds. */
const pausesMs = [20, 100, 300, 1000]

/**
 * Starts a command, again where the server opened a channel and then did not take the command. Dropbear does that where sessions share a
 * connection, see `mixesUpSessions`: here if it granted no further one. Nothing of a script can have run: it is sent only to a command that
 * was taken. A server that refuses commands outright keeps the channel of each attempt until the connection ends, for ssh2 gives nobody a
 * handle on it; so the attempts are few. The last pause is for a server that is short of processor time, where the end of the other command
 * takes its time as well.
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

/** ssh2 has no code for it; a channel that was not opened at all has a reason in its error. */
function isNotTaken(error: unknown): boolean {
  return error instanceof Error && error.message === 'Unable to exec' && refusalReason(error) === undefined
}
