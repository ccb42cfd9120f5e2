import { assertNever } from '../errors/assert-never.ts'
import type { Host } from '../model/fleet.ts'
import { NeedsOpenSsh } from './needs-openssh.ts'
import type { Transport } from './transport.ts'
import type { TransportOptions } from './transport-options.ts'

/**
 * Connects to a host with the transport that its inventory names; `ssh` is the built-in client, or the user's own ssh where only that
 * supports the config. Throws a `ConvergeError` with a `CONNECT.*` code, or the signal's reason.
 */
export async function openTransport(host: Host, options: TransportOptions): Promise<Transport> {
  options.signal.throwIfAborted()
  switch (host.connection.transport) {
    case 'local':
      return (await import('./local.ts')).openLocal(host, options)
    case 'openssh':
      return openOpenSsh(host, options)
    case 'ssh':
      return openSsh(host, options)
    default:
      return assertNever(host.connection.transport)
  }
}

async function openSsh(host: Host, options: TransportOptions): Promise<Transport> {
  try {
    return await (await import('./ssh2/ssh2-transport.ts')).openSsh2(host, options)
  } catch (error) {
    if (!(error instanceof NeedsOpenSsh)) throw error
    options.notice(`connects with your own ssh, because ${error.reason}`)
    return openOpenSsh(host, options)
  }
}

async function openOpenSsh(host: Host, options: TransportOptions): Promise<Transport> {
  return (await import('./openssh/openssh-transport.ts')).openOpenSsh(host, options)
}
