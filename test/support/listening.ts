import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server of this machine, on a port that was free; disposing it cuts its connections. */
export interface Listening extends AsyncDisposable {
  readonly url: string
}

/** @param host where others may reach it: `0.0.0.0` for the containers of this machine */
export async function listening(
  server: Server,
  { host = '127.0.0.1', port = 0 }: { readonly host?: string; readonly port?: number } = {},
): Promise<Listening> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, host, resolve)
  await promise
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const bound = server.address() as AddressInfo
  return {
    url: `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${bound.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      await closed.promise
    },
  }
}
