import { type SshServer as Server, type SshServerOptions, startSshServer as startServer } from '../../simulation/ssh-server.ts'
import type { Connection, Host } from '../../src/model/fleet.ts'
import { hostAt } from './host-at.ts'

/** An SSH server, and the host that it is in an inventory. */
export interface SshServer extends Server {
  host(name?: string, connection?: Partial<Connection>): Host
}

export async function startSshServer(options: SshServerOptions = {}): Promise<SshServer> {
  const server = await startServer(options)
  const { port, user, keyFile } = server
  return { ...server, host: (name = 'testhost', own = {}) => hostAt(name, { port, user, privateKeyFile: keyFile, ...own }) }
}
