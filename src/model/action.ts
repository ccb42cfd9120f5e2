import type { ManagerName } from './names.ts'
import type { PlannedSteps } from './planned-steps.ts'

export type ActionKind = 'noop' | 'install' | 'update' | 'start' | 'restart' | 'stop' | 'remove' | 'download' | 'host-setting'

/** `costly`: loses a warm Kind B. `destructive`: removes what converge manages. */
export type Risk = 'none' | 'safe' | 'disruptive' | 'costly' | 'destructive'

/** Stands where a service's name would, in what is about the machine itself. No service can be called so. */
export const hostItself = '(host)'

/** One decision about one service on one host, or about the host itself; plain JSON, exactly what `plan --json` prints. */
export interface Action {
  /** `<host>/<service>/<kind>` */
  readonly id: string
  readonly host: string
  /** `hostItself` where it is about no service. */
  readonly service: string
  readonly kind: ActionKind
  /** Absent where it is about the host itself. */
  readonly manager?: ManagerName
  readonly risk: Risk
  /** Explains; no code branches on it. */
  readonly reason: string
  readonly changes: readonly FieldChange[]
  /** Unified diff of the definition, keys redacted; absent when the definition stays. */
  readonly diff?: string
  /** For people: `none`, `seconds`, `about 12s (measured 2026-11-20)`. */
  readonly downtime: string
  /** Seconds for which the service is down because of it, where no request has to be cut off; null: nobody knows, or it stays down. */
  readonly downtime_s?: number | null
  /** Whether a running process is replaced or ended by it. */
  readonly interrupts: boolean
  /** Whether a server process runs after it. */
  readonly starts: boolean
  /**
   * Loads what its supervisor starts when it loads it, and stops that again: the server runs for a moment. It is judged as a start; where
   * a rule refuses it, it is left out, because what is wanted is reached without it.
   */
  readonly momentary?: true
  /** Only while its server works on no request: waits for that, so many seconds at most, and is not done otherwise. */
  readonly wait_idle_s?: number
  /** A stop of a server that runs again once this plan is done: only while it is down can something else have its place. */
  readonly temporary?: TemporaryStop
  /** Said where a written definition waits for a later restart. */
  readonly note?: string
  /** What must still hold at the moment of acting. */
  readonly relies_on: Preconditions
  /** What is sent. Absent of what is not done (`noop`, held back), and where a plan is quoted: in reports, journals. */
  readonly steps?: PlannedSteps
}

export interface TemporaryStop {
  /** Ids of the actions that could not be done while it runs; where it has to be brought back, they are taken back first. */
  readonly makes_room_for: readonly string[]
  /** The ports it listened on: nobody else may be there when it is brought back. */
  readonly ports: readonly number[]
}

/** The field of a change that no server notices: what the host remembers of what was applied. */
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
  /** Nobody else listens there when we start. */
  readonly free_port?: number
  readonly boot_id?: string
  /** SHA-256 over paths, sizes and times of the model files a server is started with. */
  readonly model?: string
  /** The container that was looked at; null: there was none. */
  readonly container?: string | null
}
