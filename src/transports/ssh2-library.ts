import type * as Ssh2 from 'ssh2'
import type { AgentAuthMethod, Client, ParsedKey } from 'ssh2'

/** The only file that imports ssh2, when it is first needed: loading it costs more than starting Node. */
export async function newClient(): Promise<Client> {
  return new (await load()).Client()
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
