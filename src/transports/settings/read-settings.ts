import { ConvergeError } from '../../errors/converge-error.ts'
import { defined } from '../../lib/defined.ts'
import { shell } from '../../lib/next-command.ts'
import { ownMember } from '../../lib/own-member.ts'
import type { ConfigDump } from './config-dump.ts'
import type { Destination } from './destination.ts'
import { expandTokens, type TokenContext } from './expand-tokens.ts'
import type { IdentitySettings, KnownHostsSettings, SshSettings } from './ssh-settings.ts'

export interface SettingsInput {
  readonly destination: Destination
  /** For the `ssh` binary: the path of its config, and arguments of the inventory. */
  readonly arguments: readonly string[]
  readonly local: TokenContext['local']
  readonly env: Readonly<Record<string, string | undefined>>
}

type Expand = (text: string) => string

/** The answer of `ssh -G`, overridden by the inventory. */
export function readSettings(dump: ConfigDump, input: SettingsInput): SshSettings {
  const { destination } = input
  const port = destination.port ?? Number(dump.one('port') ?? 22)
  const user = destination.user ?? dump.one('user') ?? input.local.user
  const hostname = dump.one('hostname') ?? destination.name
  const proxyJump = dump.one('proxyjump')
  const names = { name: destination.name, hostname, port, user, local: input.local, ...defined({ proxyJump }) }
  const alias = expander({ context: names, env: input.env })(dump.one('hostkeyalias') ?? '')
  const expand = expander({ context: alias === '' ? names : { ...names, hostKeyAlias: alias }, env: input.env })
  return {
    name: destination.name,
    hostname,
    port,
    user,
    arguments: [...argumentsFor(destination, expand), ...input.arguments],
    identities: readIdentities(dump, input, expand),
    knownHosts: readKnownHosts(dump, { alias, hostname, port }, expand),
    keepalive: {
      intervalMs: (dump.seconds('serveraliveinterval') ?? 15) * 1000,
      countMax: dump.seconds('serveralivecountmax') ?? 3,
    },
    ...defined({
      proxyJump,
      proxyCommand: mapped(dump.one('proxycommand'), expand),
      connectTimeoutMs: mapped(dump.seconds('connecttimeout'), (seconds) => seconds * 1000),
      family: ({ inet: 4, inet6: 6 } as const)[dump.one('addressfamily') ?? ''],
      localAddress: dump.one('bindaddress'),
      beyondSsh2: beyondSsh2(dump),
    }),
  }
}

/** As in Ansible, dedicated variables come before further arguments: ssh uses the first value. */
function argumentsFor({ port, user, privateKeyFile }: Destination, expand: Expand): readonly string[] {
  return [
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(user === undefined ? [] : ['-l', user]),
    ...(privateKeyFile === undefined ? [] : ['-i', expand(privateKeyFile), '-o', 'IdentitiesOnly=yes']),
  ]
}

function readIdentities(dump: ConfigDump, { destination, env }: SettingsInput, expand: Expand): IdentitySettings {
  const own = destination.privateKeyFile
  const configured = dump.all('identityfile')
  const agent = dump.isNone('identityagent') ? undefined : agentSocket(dump.one('identityagent'), env, expand)
  return {
    files: (own === undefined ? configured : [own]).map(expand),
    areDefaults:
      own === undefined &&
      configured.every((file) => /^~\/\.ssh\/id_(rsa|dsa|ecdsa|ed25519|xmss|ecdsa_sk|ed25519_sk)$/.test(file)),
    fromInventory: own !== undefined,
    only: own !== undefined || dump.isOn('identitiesonly'),
    ...(agent === undefined || agent === '' ? {} : { agent }),
  }
}

/** A bare `$NAME` is an environment variable. */
function agentSocket(value: string | undefined, env: SettingsInput['env'], expand: Expand): string | undefined {
  if (value === undefined || value === 'SSH_AUTH_SOCK') return env['SSH_AUTH_SOCK']
  return value.startsWith('$') && !value.startsWith('${') ? ownMember(env, value.slice(1)) : expand(value)
}

function readKnownHosts(
  dump: ConfigDump,
  { alias, hostname, port }: { alias: string; hostname: string; port: number },
  expand: Expand,
): KnownHostsSettings {
  const lower = hostname.toLowerCase()
  const located = port === 22 ? lower : `[${lower}]:${port}`
  return {
    lookup: alias === '' ? located : alias,
    files: [...dump.words('userknownhostsfile'), ...dump.words('globalknownhostsfile')].map(expand),
    strict: dump.one('stricthostkeychecking') ?? 'ask',
    algorithms: (dump.one('hostkeyalgorithms') ?? '').split(',').filter((name) => name !== ''),
  }
}

/** Settings for trust or login that the built-in client does not support. */
function beyondSsh2(dump: ConfigDump): string | undefined {
  const named: Readonly<Record<string, string>> = {
    certificatefile: 'CertificateFile',
    pkcs11provider: 'PKCS11Provider',
    knownhostscommand: 'KnownHostsCommand',
    revokedhostkeys: 'RevokedHostKeys',
    bindinterface: 'BindInterface',
  }
  for (const [keyword, name] of Object.entries(named)) if (dump.one(keyword) !== undefined) return `the ssh config sets ${name}`
  return dump.isOn('proxyusefdpass') ? 'the ssh config sets ProxyUseFdpass' : undefined
}

function expander({ context, env }: { context: TokenContext; env: SettingsInput['env'] }): Expand {
  return (text) => {
    const expanded = expandTokens(text, context, env)
    if (expanded !== undefined) return expanded
    throw new ConvergeError('CONNECT.SSH_CONFIG', {
      summary: 'the ssh config is unusable',
      why: `'${text}' in the ssh config for ${context.name} has a % token that ssh_config(5) does not define.`,
      next: [shell(`ssh -G ${context.name}`), 'write %% for a percent sign'],
    })
  }
}

function mapped<T, U>(value: T | undefined, map: (value: T) => U): U | undefined {
  return value === undefined ? undefined : map(value)
}
