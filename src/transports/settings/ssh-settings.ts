/** What OpenSSH would do to reach one host: its config overridden by the inventory, with paths and tokens expanded. */
export interface SshSettings {
  /** The requested name. */
  readonly name: string
  readonly hostname: string
  readonly port: number
  readonly user: string
  /** Extra arguments for the `ssh` binary in their order, without the host. */
  readonly arguments: readonly string[]
  readonly identities: IdentitySettings
  readonly knownHosts: KnownHostsSettings
  /** Comma-separated hops as ssh writes them; undefined: none. */
  readonly proxyJump?: string
  readonly proxyCommand?: string
  /** Milliseconds; undefined: not configured. */
  readonly connectTimeoutMs?: number
  readonly keepalive: { readonly intervalMs: number; readonly countMax: number }
  readonly family?: 4 | 6
  readonly localAddress?: string
  /** Why the built-in client does not support it; undefined: it does. */
  readonly beyondSsh2?: string
}

export interface IdentitySettings {
  /** In the order in which to try them. */
  readonly files: readonly string[]
  /** The list is OpenSSH's default, not configured. */
  readonly areDefaults: boolean
  /** The inventory names this one. */
  readonly fromInventory: boolean
  readonly only: boolean
  /** The agent's socket; undefined: no agent. */
  readonly agent?: string
}

export interface KnownHostsSettings {
  /** The name to look up in known-hosts files: the alias, `host`, or `[host]:port`. */
  readonly lookup: string
  readonly files: readonly string[]
  /** As configured: `ask`, `yes`, `true`, `accept-new`, `no`, `false`, `off`. */
  readonly strict: string
  /** Accepted host key algorithms, best first. */
  readonly algorithms: readonly string[]
}
