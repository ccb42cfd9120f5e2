import type * as Ssh2 from 'ssh2'
import type { AgentAuthMethod, Client, ParsedKey } from 'ssh2'

/** The only file that imports ssh2, and only on first use: loading it takes longer than starting Node. */
export async function newClient(): Promise<Client> {
  return new (await load()).Client()
}

/**
 * The software version of the server: `OpenSSH_9.2p1`, `dropbear_2022.83` (RFC 4253, 4.2). ssh2 has no event for it and keeps it in a private
 * field (`onHeader` in its `lib/client.js`, as of 1.17); undefined: missing in a later version.
 */
export function softwareOf(client: Client): string | undefined {
  const software: unknown = Reflect.get(client, '_remoteVer')
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
