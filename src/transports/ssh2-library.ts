import { createSecretKey } from 'node:crypto'
import type * as Ssh2 from 'ssh2'
import type { AgentAuthMethod, Client, ParsedKey } from 'ssh2'

/** The only file that imports ssh2, and only on first use: loading it takes longer than starting Node. */
export async function newClient(): Promise<Client> {
  const client = new (await load()).Client()
  // Emitted with new keys: once, and again each time they are exchanged.
  return client.on('handshake', () => holdKeyObjects(client))
}

/** What ssh2 reads its keys from for each packet (`lib/protocol/crypto.js`, as of 1.17). */
const keyFields = ['_encKey', '_encKeyMain', '_encKeyPktLen', '_decipherKey', '_decKeyMain', '_decKeyPktLen', '_macKey']

/**
 * ssh2 keeps keys as bytes, of which Node makes a key object for each packet: a sixth of the processor time of a short connection. So each key is made
 * an object once. The fields are private; where a later version lacks them, it works as it always did.
 */
function holdKeyObjects(client: Client): void {
  const protocol = member(client, '_protocol')
  for (const half of [member(protocol, '_cipher'), member(protocol, '_decipher')])
    for (const field of keyFields) {
      const key = member(half, field)
      if (typeof half === 'object' && half !== null && key instanceof Uint8Array) Reflect.set(half, field, createSecretKey(key))
    }
}

function member(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined
}

/**
 * The software version of the server: `OpenSSH_9.2p1`, `dropbear_2022.83` (RFC 4253, 4.2). ssh2 has no event for it and keeps it in a private
 * field (`onHeader` in its `lib/client.js`, as of 1.17); undefined: missing in a later version.
 */
export function softwareOf(client: Client): string | undefined {
  const software = member(client, '_remoteVer')
  return typeof software === 'string' ? software : undefined
}

/** Undefined: no key that ssh2 can read; `encrypted`: it needs a passphrase. */
export async function parseKey(text: string | Buffer): Promise<ParsedKey | 'encrypted' | undefined> {
  const parsed = (await load()).utils.parseKey(text)
  if (!(parsed instanceof Error)) return Array.isArray(parsed) ? (parsed as readonly ParsedKey[])[0] : parsed
  return /encrypted/i.test(parsed.message) ? 'encrypted' : undefined
}

/** A login with a single key of an agent; by default ssh2 would try all of them. */
export async function agentLogin(socket: string, key: ParsedKey, username: string): Promise<AgentAuthMethod> {
  const agent = (await load()).createAgent(socket)
  agent.getIdentities = (callback) => callback(undefined, [key])
  return { type: 'agent', username, agent }
}

async function load(): Promise<Pick<typeof Ssh2, 'Client' | 'createAgent' | 'utils'>> {
  return (await import('ssh2')).default
}
