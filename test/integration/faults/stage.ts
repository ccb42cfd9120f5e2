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

/** `date` of a host whose clock is set by a file. */
export function dateLines(clock: string): string {
  return `#!/bin/sh\nahead=$(cat '${clock}' 2>/dev/null)\ncase $*-$ahead in\n+%s-[0-9-]*) echo $(($(/bin/date +%s) + ahead)) ;;\n*) exec /bin/date "$@" ;;\nesac\n`
}

export const gibibyte = 1024 ** 3
