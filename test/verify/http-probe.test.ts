import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../src/model/secret.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { type HttpRequest, httpTo } from '../../src/verify/http-probe.ts'
import { shTransport } from '../support/sh-transport.ts'

async function listen(
  server: { listen(port: number, host: string): unknown; address(): unknown } & NodeJS.EventEmitter,
): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null && 'port' in address ? Number(address.port) : 0
}

async function serve(listener: RequestListener) {
  const server = createServer(listener)
  const port = await listen(server)
  return { port, [Symbol.dispose]: () => (server.close(), server.closeAllConnections()) }
}

async function serveTcp(listener: (socket: Socket) => void) {
  const server = createTcpServer((socket) => listener(socket.on('error', () => undefined)))
  const port = await listen(server)
  return { port, [Symbol.dispose]: () => server.close() }
}

async function askOnce(port: number, request: HttpRequest, change: Partial<Transport> = {}) {
  await using transport = await shTransport()
  return await httpTo({ ...transport, ...change }, port)(request)
}

describe('an HTTP request to a port of a host', () => {
  it('sends a Host header that every server accepts, and the key', async () => {
    using server = await serve((request, response) => response.end(JSON.stringify(request.headers)))
    const reply = await askOnce(server.port, { path: '/', key: new Secret('k3y', 'a test'), timeoutMs: 20_000 })
    expect(reply).toMatchObject({ json: { host: `127.0.0.1:${server.port}` } })
  })

  it('never hands back the key, should the server repeat it', async () => {
    using server = await serve((request, response) => response.end(`wrong key: ${request.headers.authorization}`))
    const reply = await askOnce(server.port, { path: '/', key: new Secret('very-secret', 'a test'), timeoutMs: 20_000 })
    expect(reply).toMatchObject({ kind: 'answered', body: 'wrong key: Bearer ***', json: undefined })
  })

  it.each([
    ['a GET whose connection breaks is sent once more', 1, {}, 'answered', 2],
    ['a GET is sent twice at most', 9, {}, 'closed', 2],
    ['what has a body is not sent again', 1, { body: {} }, 'closed', 1],
  ] as const)('%s', async (_, breaks, more, kind, times) => {
    let asked = 0
    using server = await serve((request, response) => {
      asked++
      if (asked > breaks) response.end('{}')
      else request.socket.destroy()
    })
    expect(await askOnce(server.port, { path: '/', timeoutMs: 20_000, ...more })).toMatchObject({ kind })
    expect(asked).toBe(times)
  })

  it('waits longer than five seconds for an answer and its body when it is allowed to', { timeout: 15_000 }, async () => {
    using server = await serve((_request, response) => {
      setTimeout(() => response.writeHead(200).write('{"slow":'), 5200)
      setTimeout(() => response.end('true}'), 6400)
    })
    expect(await askOnce(server.port, { path: '/', body: {} })).toMatchObject({ kind: 'answered', json: { slow: true } })
  })

  it.each([
    ['before the headers', () => undefined],
    [
      'in the middle of the body',
      (_request: unknown, response: { write(text: string): unknown }) => void response.write('{"half":'),
    ],
  ])('is silent when its time ends %s', async (_name, listener: RequestListener) => {
    using server = await serve(listener)
    expect(await askOnce(server.port, { path: '/', timeoutMs: 100 })).toMatchObject({ kind: 'silent' })
  })

  it('does not read an endless body to its end', async () => {
    using server = await serve((_request, response) => {
      const more = (): void => void (response.destroyed || response.write('x'.repeat(65_536), () => setImmediate(more)))
      more()
    })
    const reply = await askOnce(server.port, { path: '/', timeoutMs: 5000 })
    expect(reply).toMatchObject({ kind: 'answered', status: 200, body: 'x'.repeat(1024 * 1024) })
  })

  it.each([
    ['is closed without a word', (socket: Socket) => socket.destroy()],
    ['does not speak HTTP', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
  ])('reports that the other side %s', async (_name, listener) => {
    using server = await serveTcp((socket) => void listener(socket))
    expect(await askOnce(server.port, { path: '/', timeoutMs: 20_000 })).toMatchObject({
      kind: 'closed',
      detail: expect.stringMatching(/./),
    })
  })

  it('goes through a stream that is no socket', async () => {
    using server = await serve((request, response) => request.pipe(response))
    await using transport = await shTransport()
    const forward = async (port: number): Promise<Duplex> => {
      const socket = await transport.forward(port)
      return Duplex.from({ readable: socket, writable: socket })
    }
    expect(await askOnce(server.port, { path: '/', body: { a: 1 }, timeoutMs: 20_000 }, { forward })).toMatchObject({
      json: { a: 1 },
    })
  })

  it('is silent when the connection does not even open, and lets go of one that opens too late', async () => {
    const late = Promise.withResolvers<Duplex>()
    const reply = await askOnce(1, { path: '/', timeoutMs: 50 }, { forward: () => late.promise })
    expect(reply).toMatchObject({ kind: 'silent' })
    const stream = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
    late.resolve(stream)
    await expect.poll(() => stream.destroyed).toBe(true)
  })

  it.each([0, 1, 2, 5])('is not lost when the server ends the connection %i ms after its last answer', async (afterMs) => {
    using server = await serveTcp((socket) => {
      socket.on('data', () => {
        socket.write('HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nKeep-Alive: timeout=5\r\n\r\nno')
        setTimeout(() => socket.destroy(), afterMs)
      })
    })
    await using transport = await shTransport()
    const ask = httpTo(transport, server.port)
    for (let round = 0; round < 20; round++) expect(await ask({ path: '/', timeoutMs: 20_000 })).toMatchObject({ status: 401 })
  })
})
