import type { Action, FieldChange } from '../model/action.ts'
import type { HostFacts, Layout, Resident } from '../model/facts.ts'
import type { FleetSettings, Service } from '../model/fleet.ts'
import type { ManagerName, Platform } from '../model/names.ts'
import type { Observed } from '../model/observed.ts'
import type { Secret, SecretText } from '../model/secret.ts'
import type { StepGroup } from '../model/step.ts'
import type { SurveyedProcess } from '../model/survey.ts'
import type { StartedServer } from '../servers/read-back.ts'
import type { Fields } from './flag-fields.ts'
import type { Supervisor } from './supervisor.ts'

/** A compiler, not an actor: pure functions; only `apply/` executes their steps. */
export interface Manager {
  readonly name: ManagerName
  readonly platforms: readonly Platform[]
  /** Its servers run in containers: from an image, with their own files and network. */
  readonly isContainer: boolean
  /** Its commands require root. */
  readonly needsRoot: boolean
  /** Its servers run in the session of the account that is logged in at the screen. */
  readonly needsSession: boolean
  /** It rereads a changed definition while the server keeps running. */
  readonly rereads: boolean
  /** Loading a definition starts it: a service whose desired state is stopped has to be stopped again afterwards. */
  readonly loadingStarts: boolean
  /** Fields of the inventory that have an effect only under some managers, including this one. */
  readonly ownFields: readonly OwnField[]
  /** Why a definition cannot contain a value of the inventory, in a few words; undefined: it can. */
  readonly faults: DefinitionFaults
  /** Whether the host is known to lack it. */
  isMissing(facts: HostFacts): boolean
  /** How to ask it about one service; undefined: the facts for that are unknown. */
  supervisor(service: Service, facts: HostFacts, org: string): Supervisor | undefined
  /** The file of a server's log, which nothing rotates; absent: the supervisor keeps the log. */
  logFile?(service: Service, layout: Layout): string
  /** What its supervisor calls a service: `coder.service`, `com.example.coder`. */
  nameOf(service: NamedService, org: string): string
  /** From which definition of its supervisor a process runs; undefined: from none. */
  originOf(process: FoundProcess): Origin | undefined
  /** What the probe has to observe for this service. */
  asks(service: Service, org: string): ManagerQuestion
  /** The files to write, with secrets as separate pieces. */
  render(input: RenderInput): Rendered
  /** The current state, from facts alone. */
  observe(service: Service, facts: HostFacts, org: string): Observed<ServiceState>
  /**
   * Where the running process differs from what `render` would start; empty: no difference. Judged from the process or container itself,
   * never from whether this run changed a file.
   */
  compareRunning(input: RenderInput, facts: HostFacts): Observed<readonly FieldChange[]>
  /**
   * What differs between two definitions, field by field, and what it costs to apply that to a running server. `from` null: there is none.
   * Both redacted. Also empty where one cannot be parsed: then only the text difference can be shown.
   */
  compareDefinitions(from: string | null, to: string, service: Service): readonly FieldChange[]
  /**
   * How a field counts in a definition that is taken over as it is. `server`: it makes the server what it is. `next-start`: the server does
   * not depend on it; converge has a setting of its own, which applies once it writes the definition. Undefined: the inventory cannot express it.
   */
  concerns(field: string): 'server' | 'next-start' | undefined
  /** A definition field by field, `environment.RAM_GB`, from its redacted text; undefined: not one. */
  fields(definition: string, service: Service): Fields | undefined
  /** Whether a service may keep a definition that converge did not write; absent: any may. */
  mayAdopt?(service: Service): boolean
  /** Why it cannot write the file of which a definition is a part, or remove the part; absent: its definitions are files of their own. */
  writeFault?(action: Pick<Action, 'kind'>, input: RenderInput): string | undefined
  compile(action: Action, input: RenderInput, facts: HostFacts): StepGroup
}

/** A model server that runs on a host. */
export interface FoundProcess {
  readonly resident: Resident
  readonly surveyed: SurveyedProcess | undefined
  readonly facts: HostFacts
}

/** What a supervisor runs a process from. */
export interface Origin {
  /** For people: `the unit llama.service`. */
  readonly words: string
  /** The fields of a service that name it: `{ unit: 'llama' }`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Why converge cannot manage it; absent: it can. */
  readonly unmanageable?: string
  /** What the supervisor started, if it knows that better than the process shows it. */
  readonly started?: StartedServer
}

export type NamedService = Pick<Service, 'name' | 'unit' | 'domain' | 'label' | 'file' | 'fileService' | 'project' | 'container'>

export type OwnField =
  | 'image'
  | 'user'
  | 'unit'
  | 'domain'
  | 'label'
  | 'file'
  | 'file_service'
  | 'project'
  | 'container'
  | 'keep_awake'

export interface DefinitionFaults {
  name?(name: string): string | undefined
  /** For the first word of its command. */
  program?(path: string): string | undefined
  /** For one of its arguments. */
  argument?(word: string): string | undefined
}

/** Paths may start with `@root/` (converge's folder on the host) or `@home/`. */
export interface ManagerQuestion {
  readonly definitions: readonly string[]
  readonly keyFiles: readonly string[]
  readonly units: readonly string[]
  readonly containers: readonly string[]
  readonly images: readonly string[]
  readonly executables: readonly string[]
  /** Who is to run the server, if that has to be looked up. */
  readonly account?: AccountQuestion
}

/** An account of the host, and what it needs. */
export interface AccountQuestion {
  /** Empty: the login account. */
  readonly account: string
  readonly reads: readonly string[]
  readonly runs: readonly string[]
}

export interface RenderInput {
  readonly service: Service
  readonly settings: FleetSettings
  readonly layout: Layout
  /** The resolved key; undefined: the service has none. */
  readonly key: Secret | undefined
  /** The home of the account that runs the server, if that is not the login account. */
  readonly home?: string
  /** The file of which the definition is a part, as it is on the host. Absent: there is none, or the definition is a file of its own. */
  readonly around?: SharedFile
}

/** A file of a person that has a definition among other things. */
export interface SharedFile {
  /** Redacted. */
  readonly text: string
  readonly mode: number
  readonly owner: string
}

export interface Rendered {
  readonly definition: RenderedDefinition
  /** Key or environment file beside it; absent with inline delivery or without a key. */
  readonly keyFile?: RenderedFile
}

export interface RenderedFile {
  readonly path: string
  readonly content: SecretText
  readonly mode: number
  /** `user:group` as for chown; absent: the account that runs the commands. */
  readonly owner?: string
}

export interface RenderedDefinition extends RenderedFile {
  /** The definition itself, if it is a part of the file. Absent: the whole content. */
  readonly part?: string
}

/** One service as its manager observes it. */
export interface ServiceState {
  /** The path of the definition, whether or not it exists, resolved. */
  readonly definitionPath: string
  /** `adopted`: another's, which the host's record names as taken over, and unchanged since. */
  readonly definition: 'none' | 'ours' | 'adopted' | 'foreign'
  /** SHA-256 of the definition on disk, or of its part of a file, redacted; null: none. */
  readonly definitionDigest: string | null
  /** Redacted content of the file; null: none. */
  readonly definitionContent: string | null
  /**
   * `running` includes starting and restarting; `paused`: its processes exist with all their memory, but are suspended; `failed`: the
   * supervisor gave up, or it is crash-looping.
   */
  readonly activity: 'running' | 'paused' | 'stopped' | 'failed' | 'not-loaded'
  /** Null unless it runs and its process is known. */
  readonly process: { readonly pid: number; readonly start: string } | null
  /** Whether it starts at boot. */
  readonly startsAtBoot: boolean
  /**
   * The supervisor has not read the definition on disk: `NeedDaemonReload`, or a container or job made from an older one.
   */
  readonly staleDefinition: boolean
  /** It is still, or also, in another place of its supervisor. The change that brings it here; absent: it is not. */
  readonly moves?: FieldChange
  /** Changing it needs root, whatever the inventory says of it now. */
  readonly needsRoot?: true
  /** Redacted text of files beside the definition that its supervisor reads after it; null: unreadable; absent: none. */
  readonly overlay?: string | null
  /** Exit code, restart count or health where noteworthy. One line each. */
  readonly notes: readonly string[]
  /** Its supervisor started it again and again, and it ended soon each time. Absent: it does not, or the counters do not show it. */
  readonly crashLoop?: CrashLoop
}

export interface CrashLoop {
  /** Completes `coder …`: `was started 5 times by launchd, and ended within seconds`. */
  readonly words: string
  /** Of its log; empty: unreadable. */
  readonly lastOutput: readonly string[]
}
