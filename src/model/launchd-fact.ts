import type { Observed } from './observed.ts'

/** The agents of the login account in launchd. */
export interface LaunchdFact {
  /** By label. */
  readonly agents: Readonly<Record<string, LaunchAgent>>
  readonly disabled: Observed<readonly string[]>
  /** `launchctl managername`: Aqua at the desktop, Background over SSH. */
  readonly managerName: Observed<string>
  /** Labels of property lists on disk with our ownership label, loaded or not; absent: none. */
  readonly marked?: readonly string[]
  /** Ownership labels by label, where the two differ: an agent with a label of its own, or a copy. Absent: none. */
  readonly markedAs?: Readonly<Record<string, string>>
}

export interface LaunchAgent {
  readonly label: string
  readonly pid: number | null
  /** Null: never exited, or not reported. While it runs, that of the previous run. */
  readonly lastExit: number | null
  /** `running`, `not running`, `spawn scheduled`, …; this and the following fields are absent if not reported. */
  readonly state?: string
  /** How often it was started. */
  readonly runs?: number
  /** The signal that ended it. */
  readonly lastSignal?: number
  /** Why the system ended it, by its own name: too little memory, a bad signature. */
  readonly lastReason?: string
  /** The definition it was loaded from. */
  readonly path?: string
  /** Why launchd delays its start, possibly for ever. */
  readonly pended?: string
  /** The loaded arguments, which may differ from the file. Redacted, like the environment. */
  readonly arguments?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly stdoutPath?: string
  readonly exitTimeoutS?: number
}
