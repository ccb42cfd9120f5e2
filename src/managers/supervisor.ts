import type { LifeSign } from '../model/life-sign.ts'

/** How to ask the supervisor of one service on its host. Read-only shell scripts. */
export interface Supervisor {
  readonly life: SupervisorQuestion
  /** Its last lines count. `$1` is how many are needed. */
  readonly log: SupervisorQuestion
  /** Whether the process lives, and how often it was restarted. */
  readonly readLife: (reply: SupervisorReply) => LifeSign
}

export interface SupervisorQuestion {
  readonly script: string
  readonly args: readonly string[]
}

/** The result of a question. */
export interface SupervisorReply {
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
}
