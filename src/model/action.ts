import type { ManagerName } from './names.ts'
import type { PlannedSteps } from './planned-steps.ts'

export type ActionKind =
  | 'noop'
  | 'adopt'
  | 'install'
  | 'update'
  | 'start'
  | 'restart'
  | 'stop'
  | 'remove'
  | 'release'
  | 'download'
  | 'host-setting'

/** `costly`: loses a warm Kind B. `destructive`: removes what converge manages. */
export type Risk = 'none' | 'safe' | 'disruptive' | 'costly' | 'destructive'

/** Replaces the service's name in actions about the machine itself. No service can have this name. */
export const hostItself = '(host)'

/** One decision about one service on one host, or about the host itself; plain JSON, exactly what `plan --json` prints. */
export interface Action {
  /** `<host>/<service>/<kind>` */
  readonly id: string
  readonly host: string
  /** `hostItself` if it is about no service. */
  readonly service: string
  readonly kind: ActionKind
  /** Absent if it is about the host itself. */
  readonly manager?: ManagerName
  readonly risk: Risk
  /** Explains; no code branches on it. */
  readonly reason: string
  readonly changes: readonly FieldChange[]
  /** Unified diff of the definition, keys redacted; absent if the definition stays. */
  readonly diff?: string
  /** For people: `none`, `seconds`, `about 12s (measured 2026-11-20)`. */
  readonly downtime: string
  /** Seconds for which it takes the service down, if no request has to be cut off; null: unknown, or it stays down. */
  readonly downtime_s?: number | null
  /** Whether it replaces or ends a running process. */
  readonly interrupts: boolean
  /** Whether a server process runs after it. */
  readonly starts: boolean
  /**
   * Loads a definition whose supervisor starts it on loading, and stops it again: the server runs for a moment. Judged as a start; if a rule
   * refuses it, it is left out, because the desired state is reached without it.
   */
  readonly momentary?: true
  /** Acts only while its server is idle: waits for that at most this many seconds, and is skipped otherwise. */
  readonly wait_idle_s?: number
  /** A temporary stop: the server runs again once this plan is done, and meanwhile something else can use its place. */
  readonly temporary?: TemporaryStop
  /** A server that no supervisor runs and that the service describes: it ends first, and cannot be started again as it was. */
  readonly ends?: EndedServer
  /** `repository@sha256:…`: the image that the name in the definition will mean. It is pulled and checked before anything is stopped. */
  readonly pulls?: string
  /** Set if a written definition waits for a later restart. */
  readonly note?: string
  /** What must still hold when it is executed. */
  readonly relies_on: Preconditions
  /** What is sent. Absent if the action is not done (`noop`, held back), and where a plan is quoted: in reports, journals. */
  readonly steps?: PlannedSteps
}

export interface EndedServer {
  readonly pid: number
  readonly start: string
  /** Id of its container; absent: it runs in none. */
  readonly container?: string
}

export interface TemporaryStop {
  /** Ids of the actions that are impossible while it runs; a rollback undoes them first. */
  readonly makes_room_for: readonly string[]
  /** The ports it listened on: they must be free for its rollback. */
  readonly ports: readonly number[]
}

/** Field of a change that takes our mark from a definition, which affects no server. */
export const markField = 'definition.mark'

/** Field of a change to the host's record of what was applied, which affects no server. */
export const recordField = 'record'

export interface FieldChange {
  /** `definition.command`, `running.ctx_size`, `state`, … */
  readonly field: string
  readonly from: string | null
  readonly to: string | null
  readonly effect: 'none' | 'reload' | 'cheap-restart' | 'costly-restart'
}

export interface Preconditions {
  /** SHA-256 of the definition on disk; null: there is none. */
  readonly definition_digest?: string | null
  /** The process that may be touched; null: none runs. */
  readonly process?: { readonly pid: number; readonly start: string } | null
  /** Nothing else listens on this port when the server starts. */
  readonly free_port?: number
  readonly boot_id?: string
  /** SHA-256 over paths, sizes and times of the model files that a server loads. */
  readonly model?: string
  /** The observed container; null: none. */
  readonly container?: string | null
}
