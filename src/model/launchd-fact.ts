import type { Observed } from './observed.ts'

/** The agents of the account that logged in, as launchd has them. */
export interface LaunchdFact {
  /** By label. */
  readonly agents: Readonly<Record<string, LaunchAgent>>
  readonly disabled: Observed<readonly string[]>
  /** `launchctl managername`: Aqua at the desktop, Background over SSH. */
  readonly managerName: Observed<string>
  /** Labels of the property lists on disk that carry our mark, loaded or not; absent: none was found. */
  readonly marked?: readonly string[]
}

export interface LaunchAgent {
  readonly label: string
  readonly pid: number | null
  /** Null: never exited, or not told. Beside a pid it is that of the run before. */
  readonly lastExit: number | null
  /** `running`, `not running`, `spawn scheduled`, …; this and what follows is absent where it is not told. */
  readonly state?: string
  /** How often it was started. */
  readonly runs?: number
  /** The signal that ended it. */
  readonly lastSignal?: number
  /** What the system ended it for, by its own name: too little memory, a bad signature. */
  readonly lastReason?: string
  /** The definition it was loaded from. */
  readonly path?: string
  /** Why launchd holds its start back, perhaps for ever. */
  readonly pended?: string
  /** What is loaded, which may differ from the file by now. Redacted, as is its environment. */
  readonly arguments?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly stdoutPath?: string
  readonly exitTimeoutS?: number
}
