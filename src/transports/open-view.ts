import type { Host } from '../model/fleet.ts'
import { openTransport } from './open-transport.ts'
import type { HostView } from './transport.ts'
import type { TransportOptions } from './transport-options.ts'

/** A read-only connection. It has no `exec`, not even behind a type cast. */
export interface OpenView extends HostView {
  close(): Promise<void>
}

/** Like `openTransport`. */
export async function openView(host: Host, options: TransportOptions): Promise<OpenView> {
  const transport = await openTransport(host, options)
  return {
    host: transport.host,
    look: (script, execOptions) => transport.look(script, execOptions),
    forward: (port) => transport.forward(port),
    close: () => transport.close(),
  }
}
