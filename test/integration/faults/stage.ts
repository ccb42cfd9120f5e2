import { rename, symlink, writeFile } from 'node:fs/promises'
import { wordsOf } from '../../../simulation/process-table.ts'
import type { Transport } from '../../../src/transports/transport.ts'
import type { Supervisor } from './scenarios.ts'

/** A server that began or ended. */
export interface Turn {
  readonly service: string
  readonly event: 'began' | 'ended'
}

/** A simulated host to which scripts are sent without a connection: nothing but the faults of a cell comes in between. */
export interface Stage extends AsyncDisposable {
  readonly supervisor: Supervisor
  readonly host: Transport
  /** Variables of the host in the inventory. */
  readonly variables: object
  /** What every Kind A there has in common. */
  readonly server: object
  /** Where converge keeps what it writes down there, as this machine has it. */
  readonly root: string
  /** Where definitions are, as this machine has them. */
  readonly definitions: string
  /** File name of a service's definition. */
  readonly definition: (service: string) => string
  /** From now on its clock is so many seconds ahead of this machine's. */
  setClock(seconds: number): Promise<void>
  /** Servers that began and ended so far, in order. */
  turns(): readonly Turn[]
  /** The words a server runs with; none: it does not run. */
  words(service: string): readonly string[]
  /** Settles when no script runs there any more. */
  quiet(): Promise<void>
}

export function wordsOfServer(pid: number | null | undefined): readonly string[] {
  return pid === null || pid === undefined ? [] : wordsOf(pid)
}

/**
 * `date` of a host, in the place of the real one. The lock asks for it all the time, so that only a clock that is wrong has a script of its own.
 *
 * @param ahead seconds
 */
export async function setDate(program: string, ahead: number): Promise<void> {
  const next = `${program}.next`
  const lines = `#!/bin/sh\ncase $* in +%s) echo $(($(/bin/date +%s) + ${ahead})) ;; *) exec /bin/date "$@" ;; esac\n`
  await (ahead === 0 ? symlink('/bin/date', next) : writeFile(next, lines, { mode: 0o755 }))
  // Something may ask at this moment.
  await rename(next, program)
}

export const gibibyte = 1024 ** 3
