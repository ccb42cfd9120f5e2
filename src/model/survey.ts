import type { LaunchAgent } from './launchd-fact.ts'
import type { Observed } from './observed.ts'

/** What a host knows about the origin of one process beyond the facts of every run. */
export interface SurveyedProcess {
  readonly pid: number
  /** Linux: its control group: `/system.slice/llama.service`. Absent: unknown. */
  readonly cgroup?: string
  /** Linux: the main process of the unit that its control group is named after. Absent: it is not. */
  readonly mainPid?: number
  /** Linux: of its environment, what configures model servers and what its unit sets; keys are `***`. Absent: unreadable. */
  readonly env?: Readonly<Record<string, string>>
  /** macOS: the agent in the account's session whose process it is, or is the child of. */
  readonly agent?: SurveyedAgent
  /** macOS: the daemon of the system whose process it is, or is the child of. */
  readonly daemon?: SurveyedAgent
}

export interface SurveyedAgent {
  /** Null: a label that converge cannot have. */
  readonly label: string | null
  /** As launchd has loaded it, redacted. */
  readonly job: Observed<LaunchAgent>
}
