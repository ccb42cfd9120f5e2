import type { AgentAuthMethod, PublicKeyAuthMethod } from 'ssh2'
import { NeedsOpenSsh } from '../needs-openssh.ts'
import type { IdentitySettings, SshSettings } from '../settings/ssh-settings.ts'
import { agentLogin, parseKey } from '../ssh2-library.ts'
import type { TransportOptions } from '../transport-options.ts'
import { type AgentKey, agentKeys, describeKey } from './agent-keys.ts'
import { type KeyFile, readKeyFile } from './key-file.ts'

/** The keys to offer, in this order, and those left out, for the error message if none is accepted. */
export interface LoginPlan {
  readonly attempts: readonly Attempt[]
  /** Full sentences without a full stop. */
  readonly leftOut: readonly string[]
  /** Key files that no agent has opened. */
  readonly encrypted: readonly string[]
}

export interface Attempt {
  readonly label: string
  readonly method: PublicKeyAuthMethod | AgentAuthMethod
}

type Options = Pick<TransportOptions, 'startLimiter' | 'env' | 'signal'>

/** Servers count every offered key and end the connection at six (MaxAuthTries). */
const mostAttempts = 4

/**
 * Keys that the inventory or the ssh config names are offered first, and with `IdentitiesOnly` no others. Otherwise the agent's keys and then
 * OpenSSH's default files, as ssh does.
 */
export async function planLogin(settings: SshSettings, options: Options): Promise<LoginPlan> {
  const { identities, user } = settings
  const inAgent = await agentKeys(identities.agent, options)
  const files = await Promise.all(
    identities.files.map(async (path) => ({ path, file: await readKeyFile(path, options.startLimiter.memory) })),
  )
  const candidates = orderCandidates(identities, files, inAgent)
  const plan: Mutable = { attempts: [], leftOut: [], encrypted: [] }
  for (const candidate of candidates) await consider(candidate, plan, { settings: identities, user, inAgent })
  return plan
}

interface Mutable {
  readonly attempts: Attempt[]
  readonly leftOut: string[]
  readonly encrypted: string[]
}

type Candidate = { readonly path: string; readonly file: KeyFile } | { readonly agentKey: AgentKey }

interface Around {
  readonly settings: IdentitySettings
  readonly user: string
  readonly inAgent: readonly AgentKey[]
}

function orderCandidates(
  settings: IdentitySettings,
  files: readonly { path: string; file: KeyFile }[],
  inAgent: readonly AgentKey[],
): readonly Candidate[] {
  const named = new Set(files.flatMap(({ file }) => publicBlob(file)))
  const others = settings.only ? [] : inAgent.filter(({ blob }) => !named.has(blob)).map((agentKey) => ({ agentKey }))
  return settings.areDefaults ? [...others, ...files] : [...files, ...others]
}

function publicBlob(file: KeyFile): readonly string[] {
  if (file.state === 'private') return [file.key.getPublicSSH().toString('base64')]
  if (file.state === 'encrypted' || file.state === 'public') return file.publicKey === undefined ? [] : [file.publicKey.blob]
  return []
}

async function consider(candidate: Candidate, plan: Mutable, around: Around): Promise<void> {
  if ('agentKey' in candidate)
    return considerAgentKey(candidate.agentKey, { from: 'from the agent', chosen: false }, plan, around)
  const { path, file } = candidate
  switch (file.state) {
    case 'missing':
      if (!around.settings.areDefaults) plan.leftOut.push(`${path} does not exist`)
      return
    case 'unusable':
      plan.leftOut.push(`${path} ${file.reason}`)
      return
    case 'beyond-ssh2':
      // Default files were not chosen: skip an unsupported one while there are other keys.
      if (around.settings.areDefaults && plan.attempts.length > 0) return
      throw new NeedsOpenSsh(file.reason)
    case 'private':
      offer(plan, { label: path, method: { type: 'publickey', username: around.user, key: file.key } })
      return
    case 'encrypted':
    case 'public':
      return considerPublicHalf(path, file, plan, around)
  }
}

/** The agent may hold the private key. */
async function considerPublicHalf(
  path: string,
  { state, publicKey }: Extract<KeyFile, { readonly state: 'encrypted' | 'public' }>,
  plan: Mutable,
  around: Around,
): Promise<void> {
  const held = around.inAgent.find(({ blob }) => blob === publicKey?.blob)
  if (held !== undefined) return considerAgentKey(held, { from: `of ${path}, from the agent`, chosen: true }, plan, around)
  if (state === 'encrypted') plan.encrypted.push(path)
  plan.leftOut.push(`${path} is ${state === 'encrypted' ? 'encrypted' : 'a public key'} and no agent holds it`)
}

async function considerAgentKey(
  agentKey: AgentKey,
  { from, chosen }: { readonly from: string; readonly chosen: boolean },
  plan: Mutable,
  { settings, user }: Around,
): Promise<void> {
  if (/^sk-|-cert-v01@/.test(agentKey.type)) {
    const what = `${agentKey.type.startsWith('sk-') ? 'a hardware key' : 'a certificate'} (${agentKey.comment})`
    if (chosen || plan.attempts.length === 0) throw new NeedsOpenSsh(`the agent holds ${what}`)
    plan.leftOut.push(`the agent also holds ${what}, which only OpenSSH can use`)
    return
  }
  const key = await parseKey(`${agentKey.type} ${agentKey.blob}`)
  if (key === undefined || key === 'encrypted' || settings.agent === undefined) return
  offer(plan, { label: `${describeKey(agentKey)} ${from}`, method: await agentLogin(settings.agent, key, user) })
}

function offer(plan: Mutable, attempt: Attempt): void {
  if (plan.attempts.length < mostAttempts) plan.attempts.push(attempt)
  else plan.leftOut.push(`${attempt.label} was not offered: more than ${mostAttempts} keys could lock the account out`)
}
