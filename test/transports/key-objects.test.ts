import { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import ssh2, { type CipherAlgorithm, type Client, type ClientChannel, type Connection } from 'ssh2'
import { describe, expect, test } from 'vitest'
import { newClient } from '../../src/transports/ssh2-library.ts'

/** Fields of ssh2 that hold a key, for each way in which it encrypts. */
const ciphers: readonly (readonly [CipherAlgorithm, readonly string[], readonly string[]])[] = [
  ['aes128-gcm@openssh.com', ['_encKey'], ['_decipherKey']],
  ['chacha20-poly1305@openssh.com', ['_encKeyMain', '_encKeyPktLen'], ['_decKeyMain', '_decKeyPktLen']],
  ['aes256-ctr', ['_macKey'], ['_macKey']],
]

describe('ssh2 gets its keys as objects, and speaks as before', () => {
  test.each(ciphers)('%s', async (cipher, sending, receiving) => {
    const server = await anEcho()
    const client = await newClient()
    client.connect({ port: server.port, username: 'someone', password: 'any', algorithms: { cipher: [cipher] } })
    await once(client, 'ready')
    const long = 'x'.repeat(100_000)
    expect(await echoed(client, long)).toBe(long)
    const first = keysOf(client, sending, receiving)
    expect(first.every((key) => key instanceof KeyObject)).toBe(true)

    server.exchangeKeys()
    await once(client, 'handshake')
    expect(await echoed(client, long)).toBe(long)
    const second = keysOf(client, sending, receiving)
    expect(second.every((key, index) => key instanceof KeyObject && key !== first[index])).toBe(true)
    client.end()
    server.close()
  })
})

function keysOf(client: Client, sending: readonly string[], receiving: readonly string[]): readonly unknown[] {
  const protocol = read(client, '_protocol')
  return [
    ...sending.map((field) => read(read(protocol, '_cipher'), field)),
    ...receiving.map((field) => read(read(protocol, '_decipher'), field)),
  ]
}

function read(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined
}

async function echoed(client: Client, words: string): Promise<string> {
  const channel = await new Promise<ClientChannel>((resolve, reject) => {
    client.exec('cat', (error, opened) => (error === undefined ? resolve(opened) : reject(error)))
  })
  channel.end(words)
  return text(channel)
}

async function anEcho() {
  // Of its ed25519 keys, ssh2 cannot read one in 250 itself.
  const hostKeys = [ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private]
  let latest: Connection | undefined
  const server = new ssh2.Server({ hostKeys }, (client) => {
    latest = client
    client.on('error', () => undefined)
    client.on('authentication', (context) => context.accept())
    client.on('session', (accept) => {
      accept().on('exec', (acceptExec) => {
        const channel = acceptExec()
        channel.pipe(channel)
      })
    })
  })
  const listener = createServer((socket) => server.injectSocket(socket)).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { port, exchangeKeys: () => latest?.rekey(), close: () => listener.close() }
}
