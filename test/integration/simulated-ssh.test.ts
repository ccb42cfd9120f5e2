import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import ssh2, { type IdentityCallback, type ParsedKey, type SignCallback } from 'ssh2'
import { describe, expect, it } from 'vitest'
import { startSshServer } from '../../simulation/ssh-server.ts'

/** Has the public half alone, and signs with nothing, by an algorithm of its choice. */
class Pretender extends ssh2.BaseAgent<ParsedKey> {
  readonly #key: ParsedKey

  constructor(publicKey: string, algorithm: string) {
    super()
    const key = ssh2.utils.parseKey(publicKey)
    if (key instanceof Error) throw key
    this.#key = Object.create(key, { type: { value: algorithm } })
  }

  override getIdentities(answer: IdentityCallback<ParsedKey>): void {
    answer(undefined, [this.#key])
  }

  override sign(_key: ParsedKey, _data: Buffer, second: unknown, third?: SignCallback): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the callback comes last, with options before it or without
    const answer = third ?? (second as SignCallback)
    answer(undefined, Buffer.alloc(64))
  }
}

describe('the simulated SSH server', () => {
  it('accepts a client that signs with the key, and none that only knows its public half', async () => {
    const server = await startSshServer()
    await using _ = server
    const enter = async (how: ssh2.ConnectConfig): Promise<string> => {
      const client = new ssh2.Client()
      client.on('error', () => undefined)
      const ready = once(client, 'ready').then(() => 'in')
      client.connect({ host: '127.0.0.1', port: server.port, username: server.user, ...how })
      const said = await ready.catch((error: Error) => error.message)
      client.end()
      return said
    }
    expect(await enter({ privateKey: await readFile(server.keyFile) })).toBe('in')
    for (const algorithm of ['ssh-ed25519', 'rsa-sha2-256', 'ssh-rsa'])
      expect(await enter({ agent: new Pretender(server.publicKey, algorithm) })).not.toBe('in')
  })
})
