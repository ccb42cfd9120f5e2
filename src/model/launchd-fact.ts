import type { Observed } from './observed.ts'

/** The fleet's jobs in one domain of launchd. */
export interface LaunchdJobs {
  /** By label. */
  readonly agents: Readonly<Record<string, LaunchAgent>>
  readonly disabled: Observed<readonly string[]>
  /** Labels of property lists on disk with our ownership label, loaded or not; absent: none. */
  readonly marked?: readonly string[]
  /** Ownership labels by label, where the two differ: an agent with a label of its own, or a copy. Absent: none. */
  readonly markedAs?: Readonly<Record<string, string>>
}

/** The agents of the login account. */
export interface LaunchdFact extends LaunchdJobs {
  /** `launchctl managername`: Aqua at the desktop, Background over SSH. */
  readonly managerName: Observed<string>
}

/** The daemons of the system. */
export interface DaemonsFact extends LaunchdJobs {
  /** Whether the disk stays locked after a cold boot until a person unlocks it at the screen. */
  readonly fileVault: Observed<boolean>
}

/** A job, in whichever domain. */

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
  /** The end of its log, while launchd waits to start it again. Redacted. */
  readonly lastOutput?: readonly string[]
}
