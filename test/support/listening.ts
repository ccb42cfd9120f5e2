import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server of this machine, on a port that was free; disposing it cuts its connections. */
export interface Listening extends AsyncDisposable {
  readonly url: string
}

export async function listening(server: Server): Promise<Listening> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      await closed.promise
    },
  }
}
