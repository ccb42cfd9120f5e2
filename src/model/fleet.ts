import type {
  EndpointFormatName,
  KeyDelivery,
  LaunchdDomain,
  ManagerName,
  Platform,
  ServerKindName,
  SleepTimer,
  SmokeKind,
  WantedState,
} from './names.ts'
import type { ActiveOverride } from './operation.ts'
import type { KeyedSource, SourceRef } from './source.ts'

/** The normalised inventory: every default applied, every group merged. No later stage sees raw YAML. */
export interface Fleet {
  /** The inventory's path as given. */
  readonly path: string
  readonly settings: FleetSettings
  /** Accepted findings of `drift`; absent: none. They do not affect questions to hosts or the digest. */
  readonly driftIgnore?: readonly DriftIgnore[]
  /** Targets of notifications; absent: none. They do not affect questions to hosts either. */
  readonly notify?: readonly NotifyTarget[]
  /** Sets of states that `converge use` switches between; absent: none. Not in the digest. */
  readonly profiles?: readonly Profile[]
  /** In inventory order. */
  readonly hosts: readonly Host[]
  /** Names of all hosts in file order, which globs use; absent: as `hosts`. */
  readonly fileOrder?: readonly string[]
  /**
   * Every group: `all`, `ungrouped`, then as they first stand in the file. `hosts` are its members through children too, in
   * Ansible's order: its own, then those of its children, then of theirs, level by level.
   */
  readonly groups: readonly Group[]
  /** Positions of the fleet's settings in the files: `ports.min`; absent: none. Not in the digest. */
  readonly source?: KeyedSource
  /** SHA-256 of the canonical form; equal inventories have equal digests. Key references are in it, keys are not. */
  readonly digest: string
}

export interface FleetSettings {
  /** Labels are `com.<org>.<service>`. */
  readonly org: string
  readonly ports: { readonly min: number; readonly reserved: readonly number[] }
  /** RAM in GiB reserved for the OS and the container runtime. */
  readonly headroomGb: number
  /** At or below this many GiB of RAM: one Kind A at a time. */
  readonly smallRamGb: number
  /** The command that makes the client application reload its model list, if the fleet has one. */
  readonly client?: { readonly reload: readonly string[] }
  /** Lists of endpoints that hosts have as files; absent: none. */
  readonly endpointsFiles?: readonly EndpointsFile[]
}

/** A list of endpoints that clients on a host read. */
export interface EndpointsFile {
  readonly host: string
  /** Absolute, or below `~/` of the account that converge logs in with. */
  readonly path: string
  readonly format: EndpointFormatName
  /** The command on the host that makes the clients read it; absent: none. */
  readonly reload?: readonly string[]
}

/** A named set of states. */
export interface Profile {
  readonly name: string
  /** Each service once. */
  readonly states: readonly ProfileState[]
}

export interface ProfileState {
  readonly host: string
  readonly service: string
  readonly state: 'running' | 'stopped'
}

/** A finding of `drift` that its owner has accepted. */
export interface DriftIgnore {
  /** Glob over host names; absent: any host. */
  readonly host?: string
  /** Globs over what a finding names. */
  readonly service: string
  readonly field: string
  readonly reason: string
  /** The person responsible. */
  readonly owner: string
  /** ISO 8601 instant after which it expires. */
  readonly until?: string
  readonly source: SourceRef
}

/** Events to notify of; `gone`: something reported earlier is no longer true. */
export type NotifyEvent = 'drift' | 'pending' | 'both' | 'foreign' | 'refused' | 'failed' | 'fetched' | 'unreachable' | 'gone'

/** Payload formats of webhooks. */
export type WebhookFormat = 'generic' | 'slack' | 'discord' | 'ntfy'

/** A recipient of notifications, and the events it is notified of. */
export interface NotifyTarget {
  readonly way: NotifyWay
  readonly on: readonly NotifyEvent[]
  /** Templates; absent: the defaults. */
  readonly title?: string
  readonly body?: string
  readonly source: SourceRef
}

export type NotifyWay =
  /** The URL is a secret, because it grants write access. `insecure`: http to another machine is intended. */
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
  /** The platform in the inventory, which must match the host's. Absent: any. */
  readonly platform?: Platform
  /** The machine's intended RAM in GiB. */
  readonly ramGb?: number
  /** Where converge keeps its files on the host. Absent: `/etc/converge` for root, else `~/.config/converge`. */
  readonly convergeDir?: string
  /** The name or address at which clients reach its services. Absent: that of the connection. */
  readonly clientAddress?: string
  /** macOS: minutes, 0 for never. Absent timers are left unchanged. */
  readonly sleep?: Readonly<Partial<Record<SleepTimer, number>>>
  /** macOS: converge writes a newsyslog rule for the logs of services under launchd. Absent: it does not. */
  readonly rotateLogs?: true
  /** In inventory order. */
  readonly services: readonly Service[]
  /** Why converge never connects to it; it has no services: a switch, a Windows machine, a template as its address. */
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

/** A reference to a secret; never the secret itself. */
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
  /** What a person asked for, if an override holds; else the inventory's. */
  readonly state: WantedState
  /** Why `state` is not the inventory's. Absent: it is. */
  readonly override?: ActiveOverride
  readonly port: number
  readonly alias: string
  /** Address the server binds to; the spec's templates use all interfaces, `0.0.0.0`. */
  readonly bind: string
  /** Kind A outside a container, and Kind B: absolute path on the host. */
  readonly executable?: string
  /** Kind B: the interpreter of `executable`. */
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
  /** Systemd: the full name of the unit, as `llama.service`. Absent: the name of the service. */
  readonly unit?: string
  /** Launchd: where its job is. Absent: `gui`. */
  readonly domain?: LaunchdDomain
  /** Launchd: the label of the job. Absent: the ownership label. */
  readonly label?: string
  /** Compose: the user's own file, absolute, of which the service is a part. Absent: a file of converge's own. */
  readonly file?: string
  /** Compose: the key of the service in `file`. Absent: the name of the service. */
  readonly fileService?: string
  /** Compose: the name of the project. Absent: from the folder of `file`, or from the name of the service. */
  readonly project?: string
  /** Compose: the name of the container. Absent: what compose calls it, or the name of the service. */
  readonly container?: string
  /** Systemd, and launchd in the system domain: the account that runs it. Absent: the connecting user. */
  readonly user?: string
  readonly key?: SecretReference
  readonly keyDelivery: KeyDelivery
  /** Seconds until a started server must answer on `/health`; a server that dies fails at once. */
  readonly readyTimeoutS: number
  /** What the smoke test asks it. Absent: what its flags say it answers. */
  readonly smoke?: SmokeKind
  /** Seconds for the request of the smoke test: seconds for A, up to an hour for B. */
  readonly completionTimeoutS: number
  /** Seconds a server gets to stop on its own before its supervisor kills it. A large model gets more, unless it is fixed. */
  readonly stopTimeoutS: number
  /** It is from the inventory, whatever the size of the model. */
  readonly stopTimeoutFixed?: true
  /** Fields of its kind without a property of their own here, by their names in the inventory. Absent: none. */
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

/** The program that fetches on a host; `auto`: the first one available, in this order. */
export type FetcherName = 'auto' | 'http' | 'hub'

/** The origin of files; `auto`: another host of the fleet if one has them, else the hub. */
export type SourceOrigin = 'auto' | 'hub' | 'fleet'

/** Files of one repository of a model hub. */
export interface ModelSource {
  /** Base URL without a trailing slash. */
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
  /** Required digests by name in the repository; absent: those of the hub count. */
  readonly sha256?: Readonly<Record<string, string>>
  readonly token?: SecretReference
}
