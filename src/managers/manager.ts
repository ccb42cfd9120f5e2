import type { Action, FieldChange } from '../model/action.ts'
import type { HostFacts, Layout } from '../model/facts.ts'
import type { FleetSettings, Service } from '../model/fleet.ts'
import type { ManagerName, Platform, ServerKindName } from '../model/names.ts'
import type { Observed } from '../model/observed.ts'
import type { Secret, SecretText } from '../model/secret.ts'
import type { StepGroup } from '../model/step.ts'
import type { Fields } from './flag-fields.ts'
import type { Supervisor } from './supervisor.ts'

/** A compiler, not an actor: pure functions; only `apply/` does what they say. */
export interface Manager {
  readonly name: ManagerName
  readonly platforms: readonly Platform[]
  /** Its servers run in containers: from an image, with files and a network of their own. */
  readonly isContainer: boolean
  /** Its commands have to be run as root. */
  readonly needsRoot: boolean
  /** Its servers run in the session of the account that sits at the screen. */
  readonly needsSession: boolean
  /** A changed definition is read again under a server that runs on. */
  readonly rereads: boolean
  /** To load a definition is to start it: a service that is to be stopped has to be stopped again after that. */
  readonly loadingStarts: boolean
  /** Fields of the inventory that have an effect under it, and not under every manager. */
  readonly ownFields: readonly OwnField[]
  /** Why a definition cannot hold what the inventory gives, in a few words; undefined: it can. */
  readonly faults: DefinitionFaults
  /** Whether a host is seen not to have it. */
  isMissing(facts: HostFacts): boolean
  /** How it is asked about one service; undefined: what that takes was not seen. */
  supervisor(service: Service, facts: HostFacts, org: string): Supervisor | undefined
  /** The file that a server's log goes to, which nobody rotates; absent: its supervisor keeps the log. */
  logFile?(service: Service, layout: Layout): string
  /** What the probe has to look at for this service. */
  asks(service: Service, org: string): ManagerQuestion
  /** Files as they would be written, secrets in pieces. */
  render(input: RenderInput): Rendered
  /** What is there now, from facts alone. */
  observe(service: Service, facts: HostFacts, org: string): Observed<ServiceState>
  /**
   * Where the running process differs from what `render` would start; empty: it is as wanted. Judged from the process or
   * container itself, never from whether a file was changed in this run.
   */
  compareRunning(input: RenderInput, facts: HostFacts): Observed<readonly FieldChange[]>
  /**
   * What differs between two definitions, field by field, with what it costs to make a running server take it over. `from` null:
   * there is none. Both redacted. Empty also where one cannot be read: the text difference is all there is to show then.
   */
  compareDefinitions(from: string | null, to: string, kind: ServerKindName): readonly FieldChange[]
  /** A definition field by field, `environment.RAM_GB`, from its redacted text; undefined: it is none. */
  fields(definition: string): Fields | undefined
  compile(action: Action, input: RenderInput, facts: HostFacts): StepGroup
}

export type OwnField = 'image' | 'user' | 'keep_awake'

export interface DefinitionFaults {
  name?(name: string): string | undefined
  /** Of the first word of its command. */
  program?(path: string): string | undefined
  /** Of a word among its arguments. */
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
}

export interface RenderInput {
  readonly service: Service
  readonly settings: FleetSettings
  readonly layout: Layout
  /** The resolved key; undefined when the service has none. */
  readonly key: Secret | undefined
}

export interface Rendered {
  readonly definition: RenderedFile
  /** Key or environment file beside it; absent with inline delivery or without a key. */
  readonly keyFile?: RenderedFile
}

export interface RenderedFile {
  readonly path: string
  readonly content: SecretText
  readonly mode: number
  /** `user:group` as for chown; absent: whoever the commands run as. */
  readonly owner?: string
}

/** One service as its manager sees it. */
export interface ServiceState {
  /** The definition's path where it would be, resolved. */
  readonly definitionPath: string
  readonly definition: 'none' | 'ours' | 'foreign'
  /** SHA-256 of the definition on disk; null: none. */
  readonly definitionDigest: string | null
  /** Redacted content; null: none. */
  readonly definitionContent: string | null
  /**
   * `running` covers starting and restarting; `paused`: its processes are there with all they hold, and stand still; `failed`: its
   * supervisor gave up or it is crash-looping.
   */
  readonly activity: 'running' | 'paused' | 'stopped' | 'failed' | 'not-loaded'
  /** Known while it runs. */
  readonly process: { readonly pid: number; readonly start: string } | null
  /** Whether it comes up by itself at boot. */
  readonly startsAtBoot: boolean
  /**
   * The supervisor has not read the definition that is on disk: `NeedDaemonReload`, or a container or a job that was made from an older
   * one.
   */
  readonly staleDefinition: boolean
  /** Where it is worth saying: exit code, restart count, health. One line each. */
  readonly notes: readonly string[]
}
