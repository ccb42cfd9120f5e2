/** What OpenSSH would do to reach one host: its config, with what the inventory says on top, every path and token expanded. */
export interface SshSettings {
  /** The name that was asked for. */
  readonly name: string
  readonly hostname: string
  readonly port: number
  readonly user: string
  /** Extra arguments for the `ssh` binary, in the order ssh takes them; the host is not among them. */
  readonly arguments: readonly string[]
  readonly identities: IdentitySettings
  readonly knownHosts: KnownHostsSettings
  /** Comma-separated hops as ssh writes them; undefined: none. */
  readonly proxyJump?: string
  readonly proxyCommand?: string
  /** Milliseconds; undefined: the config does not say. */
  readonly connectTimeoutMs?: number
  readonly keepalive: { readonly intervalMs: number; readonly countMax: number }
  readonly family?: 4 | 6
  readonly localAddress?: string
  /** Why the built-in client cannot do it, in words; undefined: it can. */
  readonly beyondSsh2?: string
}

export interface IdentitySettings {
  /** In the order they are to be tried. */
  readonly files: readonly string[]
  /** The list is OpenSSH's own, not somebody's choice. */
  readonly areDefaults: boolean
  /** The inventory names exactly this one. */
  readonly fromInventory: boolean
  readonly only: boolean
  /** The agent's socket; undefined: no agent. */
  readonly agent?: string
}

export interface KnownHostsSettings {
  /** The name that stands in a known-hosts file: the alias, `host`, or `[host]:port`. */
  readonly lookup: string
  readonly files: readonly string[]
  /** As the config has it: `ask`, `yes`, `true`, `accept-new`, `no`, `false`, `off`. */
  readonly strict: string
  /** Names that ssh accepts for host keys, best first. */
  readonly algorithms: readonly string[]
}
