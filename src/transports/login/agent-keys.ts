import { runTool } from '../child-process.ts'
import type { Topic } from '../memory.ts'
import type { TransportOptions } from '../transport-options.ts'
import { fingerprint, keyTypeOf } from '../trust/judge-key.ts'

/** The public half of a key in an agent, as `ssh-add -L` prints it. */
export interface AgentKey {
  readonly type: string
  /** Base64 of the public key blob. */
  readonly blob: string
  readonly comment: string
}

const listings: Topic<readonly AgentKey[]> = { name: 'ssh-add -L' }

/** Uses OpenSSH instead of ssh2, which silently skips certificates and hardware keys. A missing agent counts as an empty one. */
export function agentKeys(
  socket: string | undefined,
  options: Pick<TransportOptions, 'startLimiter' | 'env' | 'signal'>,
): Promise<readonly AgentKey[]> {
  if (socket === undefined) return Promise.resolve([])
  return options.startLimiter.memory.once(listings, socket, async () => {
    const env = { ...options.env, SSH_AUTH_SOCK: socket }
    const result = await options.startLimiter.runTool(() => runTool('ssh-add', ['-L'], { env, signal: options.signal }))
    return result.exitCode === 0 ? result.stdout.split('\n').flatMap(parsePublicKey) : []
  })
}

/** `type base64 comment`, as in a `.pub` file; anything else is not a key. */
export function parsePublicKey(line: string): readonly AgentKey[] {
  const match = /^([a-z][\w@.-]+) ([A-Za-z0-9+/]{16,}=*)(?: (.*))?$/.exec(line.trim())
  if (match === null) return []
  const [, type = '', blob = '', comment = ''] = match
  return keyTypeOf(Buffer.from(blob, 'base64')) === type ? [{ type, blob, comment }] : []
}

/** For messages: `ED25519 SHA256:… (me@laptop)`. */
export function describeKey({ type, blob, comment }: AgentKey): string {
  const name = type.replace(/^(ssh|ecdsa-sha2)-/, '').toUpperCase()
  return `${name} ${fingerprint(Buffer.from(blob, 'base64'))}${comment === '' ? '' : ` (${comment})`}`
}
