import type { Context } from '../context/context.ts'
import { openTransport } from '../transports/open-transport.ts'
import type { Transport } from '../transports/transport.ts'
import { type HostFlags, type Run, runOver } from './run.ts'

/** A run of a verb that changes hosts. `test/architecture.test.ts` lists the verbs that may open one. */
export type ActingRun = Run<Transport>

export function withActingRun<T>(context: Context, flags: HostFlags, work: (run: ActingRun) => Promise<T>): Promise<T> {
  return runOver(openTransport, context, flags, work)
}
