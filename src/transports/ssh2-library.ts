import type * as Ssh2 from 'ssh2'
import type { AgentAuthMethod, Client, ParsedKey } from 'ssh2'

/** The only file that imports ssh2, when it is first needed: loading it costs more than starting Node. */
export async function newClient(): Promise<Client> {
  return new (await load()).Client()
}

/**
 * What the server of a logged-in client calls itself: `OpenSSH_9.2p1`, `dropbear_2022.83` (RFC 4253, 4.2). ssh2 has no event for it and keeps
 * it in a field of its own (`onHeader` in its `lib/client.js`, as of 1.17); undefined: in a later version it is not there.
 */
export function softwareOf(client: Client): string | undefined {
  const software: unknown = Reflect.get(client, '_remoteVer')
  return typeof software === 'string' ? software : undefined
}

/** Undefined: it holds no key that ssh2 can read; `encrypted`: it needs a passphrase. */
export async function parseKey(text: string | Buffer): Promise<ParsedKey | 'encrypted' | undefined> {
  const parsed = (await load()).utils.parseKey(text)
  if (!(parsed instanceof Error)) return Array.isArray(parsed) ? (parsed as readonly ParsedKey[])[0] : parsed
  return /encrypted/i.test(parsed.message) ? 'encrypted' : undefined
}

/** A login with one key of an agent; left to itself ssh2 would try all of them. */
export async function agentLogin(socket: string, key: ParsedKey, username: string): Promise<AgentAuthMethod> {
  const agent = (await load()).createAgent(socket)
  agent.getIdentities = (callback) => callback(undefined, [key])
  return { type: 'agent', username, agent }
}

async function load(): Promise<Pick<typeof Ssh2, 'Client' | 'createAgent' | 'utils'>> {
  return (await import('ssh2')).default
}
