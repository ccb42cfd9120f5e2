import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A port of this machine that leads to another one, through a network that takes its time. */
export interface SlowNetwork extends AsyncDisposable {
  readonly port: number
}

/** @param oneWayMs what every byte takes, in both directions */
export async function slowNetworkTo(port: number, oneWayMs: number): Promise<SlowNetwork> {
  const server = createServer({ noDelay: true }, (here) => {
    const there = connect({ port, host: '127.0.0.1', noDelay: true })
    carry(here, there, oneWayMs)
    carry(there, here, oneWayMs)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const address = server.address() as AddressInfo
  return {
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      server.close()
    },
  }
}

function carry(from: Socket, to: Socket, ms: number): void {
  from.on('data', (chunk: Buffer) => setTimeout(() => to.write(chunk), ms))
  from.once('close', () => setTimeout(() => to.destroy(), ms))
  from.on('error', () => undefined)
}
