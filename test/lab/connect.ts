import type { Connection } from '../../src/model/fleet.ts'
import { openTransport } from '../../src/transports/open-transport.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { aHost } from '../support/build.ts'
import { transportOptions } from '../support/transport-options.ts'
import type { LabHost } from './host.ts'

export type Connected = Transport & AsyncDisposable

/** The real way in: SSH as `op`, commands as root where the host has a sudo. */
export async function connect(host: LabHost, become = true, own: Partial<Connection> = {}): Promise<Connected> {
  const { connection } = aHost({ name: host.name })
  const through = { ...connection, user: host.user, become, ...own }
  const transport = await openTransport(
    aHost({ name: host.name, connection: through }),
    transportOptions({ sshConfig: host.sshConfigFile }),
  )
  return { ...transport, [Symbol.asyncDispose]: () => transport.close() }
}
