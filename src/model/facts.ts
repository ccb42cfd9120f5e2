import type { AccountFact } from './account-fact.ts'
import type { AppliedRecord } from './applied-record.ts'
import type { DiskFact } from './disk-fact.ts'
import type { DownloadJob } from './download-job.ts'
import type { FetchFact } from './fetch.ts'
import type { FileStamp, HeldFile } from './file-identity.ts'
import type { HttpFact } from './http-fact.ts'
import type { DaemonsFact, LaunchdFact } from './launchd-fact.ts'
import type { LockHolder } from './lock-lease.ts'
import type { PowerFact, RotatedLog } from './mac-settings.ts'
import type { MemoryFact } from './memory-fact.ts'
import type { Platform, ServerKindName } from './names.ts'
import type { Observed } from './observed.ts'
import type { RollbackTimer } from './rollback-timer.ts'
import type { UnfinishedRun } from './unfinished-run.ts'

/**
 * Everything one probe saw of one host. Sizes are bytes, times are seconds unless a name says otherwise. Paths are as asked;
 * `@root/` and `@home/` in a question are expanded on the host, see `Layout`.
 */
export interface HostFacts {
  readonly host: string
  /** ISO 8601, controller's clock. */
  readonly gatheredAt: string
  /** Mixed into the digests of key files (`sha256(salt + content)`), new for every run. */
  readonly salt: string
  readonly platform: Observed<PlatformFact>
  readonly layout: Observed<Layout>
  readonly memory: Observed<MemoryFact>
  readonly listeners: Observed<readonly Listener[]>
  readonly residents: Observed<readonly Resident[]>
  readonly containers: Observed<ContainersFact>
  readonly systemd: Observed<SystemdFact>
  readonly launchd: Observed<LaunchdFact>
  /** macOS. Absent: facts of a version that did not ask. */
  readonly daemons?: Observed<DaemonsFact>
  /** By the asked name, which is empty for the login account: those that are to run daemons. A known `null` means: does not exist. */
  readonly accounts?: Readonly<Record<string, Observed<AccountFact | null>>>
  /** macOS, and only if the inventory has power settings. */
  readonly power: Observed<PowerFact>
  /** macOS: log files that its newsyslog rotates. Absent: facts of a version that did not ask. */
  readonly rotatedLogs?: Observed<readonly RotatedLog[]>
  /** By asked path; a known `null` means: does not exist. */
  readonly definitions: Readonly<Record<string, Observed<DefinitionFile | null>>>
  readonly keyFiles: Readonly<Record<string, Observed<KeyFile | null>>>
  /** By the asked path they lie beside: files left by runs that ended before their cleanup. */
  readonly leftovers: Readonly<Record<string, Observed<readonly string[]>>>
  readonly models: Readonly<Record<string, Observed<ModelFiles | null>>>
  readonly executables: Readonly<Record<string, Observed<ExecutableFact | null>>>
  /** Free and total space of the file system that holds the asked path. */
  readonly disks: Readonly<Record<string, Observed<DiskFact>>>
  /** By service name: what the last apply recorded on the host. */
  readonly applied: Observed<Readonly<Record<string, AppliedRecord>>>
  readonly lock: Observed<LockHolder | null>
  /** By the log on the host: the last run that did not finish; null: none. */
  readonly journal: Observed<UnfinishedRun | null>
  /** Timers on the host that will roll back a replaced server, or did. */
  readonly rollbackTimers: Observed<readonly RollbackTimer[]>
  readonly downloads: Observed<readonly DownloadJob[]>
  /** By `model.path`, for models from a hub. Absent: facts of a version that did not ask. */
  readonly fetches?: Readonly<Record<string, Observed<FetchFact>>>
  readonly caffeinates: Observed<readonly Caffeinate[]>
  /** By service name; asked over HTTP on the host's loopback, only where the service's port is open. */
  readonly http: Readonly<Record<string, Observed<HttpFact>>>
}

export interface PlatformFact {
  readonly os: Platform
  /** `uname -sr`. */
  readonly kernel: string
  readonly arch: string
  readonly distribution?: string
  readonly hostname: string
  /** Changes at every boot; absent where the system has none. */
  readonly bootId?: string
}

/** The account on the host, and its folders. */
export interface Layout {
  /** The login account, and its home. */
  readonly user: string
  readonly home: string
  /** The account the commands run as, after become. */
  readonly effectiveUid: number
  /** Absolute: converge's folder for definitions, keys, records and the lock. */
  readonly root: string
  /** macOS: the account at the console; null: none. */
  readonly consoleUser?: string | null
}

/** One TCP port in LISTEN state. */
export interface Listener {
  /** `0.0.0.0`, `::`, `127.0.0.1`, … */
  readonly address: string
  readonly port: number
  /** Unknown without permission to see other users' processes. */
  readonly pid: Observed<number>
  readonly process?: string
}

/** A running model-server process, managed or not. Arguments are redacted on the host. */
export interface Resident {
  readonly pid: number
  readonly ppid: number
  /** Opaque; equal pid and equal start mean the same process. Linux: start ticks from `/proc/PID/stat`. */
  readonly start: string
  /** Seconds since the epoch by the host's own clock; absent if unknown. */
  readonly startedAt?: number
  /** When it was observed, by the same clock. */
  readonly seenAt?: number
  readonly user: string
  readonly command: string
  readonly argv: readonly string[]
  readonly rssBytes: number
  /** The part that is its own memory, which becomes free when it ends; the rest are file pages. Absent if not reported. */
  readonly anonBytes?: number
  /** A server of one of our kinds, or another local model runner. `engine`: a child that does the work of a server. */
  readonly role: ServerKindName | 'engine' | 'runner'
  /** For people: `llama-server`, `ollama`, … */
  readonly program: string
  /** From its arguments, if present. */
  readonly port?: number
  /** Short container id, from its cgroup. */
  readonly container?: string
  /** Systemd unit, from its cgroup. */
  readonly unit?: string
  /** The executable file of the process, from the kernel; absent if unknown. */
  readonly executable?: HeldFile
  /** Mapped files that are models or parts of the server; absent if unknown. */
  readonly mapped?: readonly HeldFile[]
  /** Its root is not that of the host: its paths have another meaning. */
  readonly ownRoot?: true
  /** Selected environment, where readable; values of keys are `sha256(salt + value)`. */
  readonly env?: Readonly<Record<string, string>>
}

export interface ContainersFact {
  /** Null: no engine is installed. */
  readonly engine: ContainerEngine | null
  readonly containers: readonly Container[]
  /** Images asked about: present or not. */
  readonly images: Readonly<Record<string, boolean>>
  /** Ids of the present ones. */
  readonly imageIds?: Readonly<Record<string, string>>
  /** Digests of the manifests that they were pulled by, `sha256:…`. A missing one was built or loaded on the host, or was not asked for. */
  readonly imageDigests?: Readonly<Record<string, readonly string[]>>
}

export interface ContainerEngine {
  /** Absolute path of `docker`; the version is absent where it was not asked for. */
  readonly path: string
  readonly version?: string
  /** The command for compose: `[docker, compose]` or `[docker-compose]`, absolute; unknown if missing. */
  readonly compose: Observed<{ readonly argv: readonly string[]; readonly version: string }>
}

export interface Container {
  readonly id: string
  readonly name: string
  readonly image: string
  /** The image it was created from, whatever its name refers to now. */
  readonly imageId?: string
  readonly state: 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead'
  readonly health: 'none' | 'starting' | 'healthy' | 'unhealthy'
  readonly exitCode: number
  readonly restartCount: number
  readonly oomKilled: boolean
  /** Its first process on the host; 0 if not running. */
  readonly pid: number
  readonly startedAt: string
  readonly entrypoint: readonly string[]
  /** Redacted. */
  readonly command: readonly string[]
  readonly restartPolicy: string
  /** Seconds it has to stop on its own; absent: the engine's default. */
  readonly stopTimeoutS?: number
  /** The end of its log, if it is of converge and restarts again and again. Redacted. */
  readonly lastOutput?: readonly string[]
  /** `host:container[:ro]` */
  readonly binds: readonly string[]
  /** `hostPort:containerPort` */
  readonly ports: readonly string[]
  readonly labels: Readonly<Record<string, string>>
}

export interface SystemdFact {
  /** Null: systemd does not run this host. */
  readonly version: string | null
  /** By unit name: the asked ones and those with an ownership label. */
  readonly units: Readonly<Record<string, UnitFact>>
}

export interface UnitFact {
  readonly loadState: string
  readonly activeState: string
  readonly subState: string
  readonly result: string
  readonly mainPid: number
  readonly restarts: number
  readonly needDaemonReload: boolean
  /** `enabled`, `disabled`, … ; empty if there is no such file. */
  readonly unitFileState: string
  readonly fragmentPath: string
  readonly dropIns: readonly string[]
  readonly execMainStatus: number
  readonly execMainCode: number
  /** Seconds since it changed its state; absent: not reported. */
  readonly unchangedS?: number
  /** The end of its log, if it failed. Redacted. */
  readonly lastOutput?: readonly string[]
  /** Its ownership label `com.<org>.<service>`, if a file in the administrator's folder carries one. */
  readonly mark?: string
}

/** A definition on disk, with keys replaced by `***`. */
export interface DefinitionFile {
  readonly path: string
  /** SHA-256 of its bytes on the host, including keys. */
  readonly digest: string
  readonly content: string
  readonly mode: number
  readonly owner: string
  /** Its ownership label `com.<org>.<service>`; null: not written by converge. */
  readonly mark: string | null
  /** Seconds since the epoch by the host's clock. */
  readonly modifiedAt?: number
  /** Under systemd: its drop-ins in the same folder, one after the other, redacted. Absent: none. */
  readonly overlay?: string
}

export interface KeyFile {
  readonly path: string
  /** `sha256(salt + content)`. */
  readonly saltedDigest: string
  readonly mode: number
  readonly owner: string
  /** Seconds since the epoch. */
  readonly modifiedAt: number
}

export interface ModelFiles {
  readonly path: string
  readonly type: 'file' | 'directory'
  /** All parts: the file itself, its shards, or for a directory the sum of its files as one entry. */
  readonly files: readonly ModelPart[]
  /** The number of shards in its name; 1 for a plain file. */
  readonly shards: number
  /** Paths of missing shards. */
  readonly missing: readonly string[]
  /** Unfinished downloads beside it (`*.incomplete`, `*.part`, …). */
  readonly unfinished: readonly string[]
  readonly header: Observed<GgufHeader>
  /** Bytes in the page cache, if reliably measurable. */
  readonly cachedBytes: Observed<number>
}

export interface ModelPart {
  readonly path: string
  readonly bytes: number
  /** When it was last written, seconds since the epoch by the host's clock; for a directory its newest file. */
  readonly modified?: number
  /** Absent for a directory. */
  readonly file?: FileStamp
}

/** From the first 64 KiB of a GGUF; fields behind that are absent. */
export interface GgufHeader {
  readonly version: number
  /** Only the start was read: absent fields may follow. Absent: read completely. */
  readonly cut?: true
  readonly architecture?: string
  readonly blockCount?: number
  readonly contextLength?: number
  readonly embeddingLength?: number
  readonly headCount?: number
  readonly headCountKv?: number
  readonly keyLength?: number
  readonly valueLength?: number
  readonly expertCount?: number
  readonly splitCount?: number
}

export interface ExecutableFact {
  readonly path: string
  readonly executable: boolean
  readonly file?: FileStamp
  readonly version?: string
  /** Long and short flags that its help lists; unknown if the help could not be read. */
  readonly flags: Observed<readonly string[]>
}

/** macOS: a `caffeinate` that keeps the machine awake until a process ends. */
export interface Caffeinate {
  readonly pid: number
  readonly start: string
  readonly user: string
  /** Its arguments, without `-w PID`. */
  readonly flags: readonly string[]
  readonly waitsFor: number
}
