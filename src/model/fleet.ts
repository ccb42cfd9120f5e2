import type { KeyDelivery, ManagerName, Platform, ServerKindName, SleepTimer, WantedState } from './names.ts'
import type { KeyedSource, SourceRef } from './source.ts'

/** The normalised inventory: every default applied, every group merged. Nothing downstream sees raw YAML. */
export interface Fleet {
  /** The inventory's path as the person gave it. */
  readonly path: string
  readonly settings: FleetSettings
  /** Findings of `drift` that are known and right; absent: none. They ask nothing of a host and are not in the digest. */
  readonly driftIgnore?: readonly DriftIgnore[]
  /** Who is told of changes; absent: nobody. Asks nothing of a host either. */
  readonly notify?: readonly NotifyTarget[]
  /** In inventory order. */
  readonly hosts: readonly Host[]
  /** Names of all hosts as the files first name them, which is what globs count in; absent: as `hosts`. */
  readonly fileOrder?: readonly string[]
  /**
   * Every group: `all`, `ungrouped`, then as they first stand in the file. `hosts` are its members through children too, in
   * Ansible's order: its own, then those of its children, then of theirs, level by level.
   */
  readonly groups: readonly Group[]
  /** Where the keys of the fleet's settings are written: `ports.min`; absent: nowhere. Not in the digest. */
  readonly source?: KeyedSource
  /** SHA-256 of the canonical form; equal inventories have equal digests. Key references are in it, keys are not. */
  readonly digest: string
}

export interface FleetSettings {
  /** Labels are `com.<org>.<service>`. */
  readonly org: string
  readonly ports: { readonly min: number; readonly reserved: readonly number[] }
  /** RAM in GiB that stays free for the OS and the container runtime. */
  readonly headroomGb: number
  /** At or below this many GiB of RAM: one Kind A at a time. */
  readonly smallRamGb: number
  /** How the client application is made to reload its model list, when the fleet names one. */
  readonly client?: { readonly reload: readonly string[] }
}

/** What `drift` finds and somebody answers for. */
export interface DriftIgnore {
  /** Glob over host names; absent: any host. */
  readonly host?: string
  /** Globs over what a finding names. */
  readonly service: string
  readonly field: string
  readonly reason: string
  /** Who answers for it. */
  readonly owner: string
  /** ISO 8601 instant after which it no longer holds. */
  readonly until?: string
  readonly source: SourceRef
}

/** What somebody can be told of; `gone`: something that was told is no longer so. */
export type NotifyEvent = 'drift' | 'pending' | 'both' | 'foreign' | 'refused' | 'failed' | 'fetched' | 'unreachable' | 'gone'

/** What a webhook takes. */
export type WebhookFormat = 'generic' | 'slack' | 'discord' | 'ntfy'

/** Somebody who is told when what is found changes, and of what. */
export interface NotifyTarget {
  readonly way: NotifyWay
  readonly on: readonly NotifyEvent[]
  /** Templates; absent: ours. */
  readonly title?: string
  readonly body?: string
  readonly source: SourceRef
}

export type NotifyWay =
  /** Who knows the URL can write there: it is a secret. `insecure`: http to another machine is meant. */
  | { readonly kind: 'webhook'; readonly url: SecretReference; readonly format: WebhookFormat; readonly insecure: boolean }
  | { readonly kind: 'command'; readonly argv: readonly string[] }
  | { readonly kind: 'mail'; readonly address: string }

export interface Group {
  readonly name: string
  readonly hosts: readonly string[]
  readonly children: readonly string[]
}

export interface Host {
  readonly name: string
  readonly groups: readonly string[]
  readonly connection: Connection
  /** What the inventory says; must agree with what is found. Absent: whatever is found. */
  readonly platform?: Platform
  /** What the machine is meant to have, in GiB. */
  readonly ramGb?: number
  /** Where converge keeps its files on the host. Absent: `/etc/converge` for root, else `~/.config/converge`. */
  readonly convergeDir?: string
  /** macOS: minutes, 0 for never. Absent: the machine is left as it is, as are timers that are not named. */
  readonly sleep?: Readonly<Partial<Record<SleepTimer, number>>>
  /** macOS: newsyslog is given a rule for the logs of services under launchd. Absent: it is not. */
  readonly rotateLogs?: true
  /** In inventory order. */
  readonly services: readonly Service[]
  /** It has no services, and nobody connects to it, because …: a switch, a Windows machine, an address that is a template. */
  readonly apart?: string
  readonly source: KeyedSource
}

export interface Connection {
  readonly transport: 'ssh' | 'openssh' | 'local'
  /** The name given to ssh: `ansible_host` or the host's own name; the user's ssh config may map it further. */
  readonly address: string
  readonly port?: number
  readonly user?: string
  readonly privateKeyFile?: string
  /** Extra `ssh` arguments, from `ansible_ssh_common_args`, split as a shell would. */
  readonly sshArgs: readonly string[]
  readonly become: boolean
  readonly becomeUser: string
  readonly becomePassword?: SecretReference
}

/** Where a secret is to be found; never the secret itself. */
export type SecretReference =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[] }
  /** An ansible-vault block out of the inventory; opened with `ANSIBLE_VAULT_PASSWORD_FILE`. */
  | { readonly vault: string }

export interface Service {
  readonly name: string
  readonly host: string
  readonly kind: ServerKindName
  readonly manager: ManagerName
  readonly state: WantedState
  readonly port: number
  readonly alias: string
  /** Address the server binds to; the spec's templates use all interfaces, `0.0.0.0`. */
  readonly bind: string
  /** Kind A outside a container, and Kind B: absolute path on the host. */
  readonly executable?: string
  /** Kind B: what runs `executable`. */
  readonly interpreter?: string
  /** Compose: the image. */
  readonly image?: string
  readonly model: ModelReference
  /** Tokens: `--ctx-size` of Kind A, `CTX` of Kind B. */
  readonly ctxSize: number
  readonly nGpuLayers?: number
  readonly threads?: number
  readonly jinja: boolean
  readonly extraArgs: readonly string[]
  readonly extraEnv: Readonly<Record<string, string>>
  /** Kind B: its budget in GiB. */
  readonly ramGb?: number
  /** Kind B: `SRV` makes `SRV_MODEL` and `SRV_API_KEY`. */
  readonly envPrefix: string
  /** Kind B: whether `--no-browser` is passed, as the spec's template does. */
  readonly noBrowser: boolean
  /** Kind B: names by which clients may address it (`--allowed-host`). */
  readonly allowedHosts: readonly string[]
  /** Systemd: the account that runs the unit. Absent: the connecting user. */
  readonly user?: string
  readonly key?: SecretReference
  readonly keyDelivery: KeyDelivery
  /** Seconds until a started server must answer on `/health`; a server that dies fails at once. */
  readonly readyTimeoutS: number
  /** Seconds for the smoke test's chat completion: seconds for A, up to an hour for B. */
  readonly completionTimeoutS: number
  /** Seconds a server gets to stop by itself before its supervisor kills it. */
  readonly stopTimeoutS: number
  /** Fields of its kind that have no place of their own here, by their names in the inventory. Absent: none. */
  readonly own?: Readonly<Record<string, OwnValue>>
  /** Launchd: the Mac does not fall asleep while the server runs. */
  readonly keepAwake: boolean
  readonly source: KeyedSource
}

export type OwnValue = string | number | boolean | readonly string[]

export interface ModelReference {
  /** Kind A: the GGUF file, the first shard of many. Kind B: the model directory. Exact and absolute. */
  readonly path: string
  /** Whether it is a giant mixture-of-experts model; absent: read from the GGUF header. */
  readonly giantMoe?: boolean
  readonly source?: ModelSource
}

/** What fetches on a host; `auto`: whatever is there, of these in their order. */
export type FetcherName = 'auto' | 'http' | 'hub'

/** Where files come from; `auto`: from another host of the fleet where one has them, else from the hub. */
export type SourceOrigin = 'auto' | 'hub' | 'fleet'

/** Files of one repository of a model hub. */
export interface ModelSource {
  /** Base URL without a slash at its end. */
  readonly hub: string
  /** `<owner>/<name>` */
  readonly repo: string
  /** Names or globs; empty: every file. */
  readonly files: readonly string[]
  /** A full commit, a tag or a branch. */
  readonly revision: string
  /** Absent: `auto`. */
  readonly from?: SourceOrigin
  /** Absent: `auto`. */
  readonly fetcher?: FetcherName
  /** By name in the repository, what the hub has to list; absent: its own digests count. */
  readonly sha256?: Readonly<Record<string, string>>
  readonly token?: SecretReference
}
