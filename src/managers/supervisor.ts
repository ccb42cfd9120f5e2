import type { LifeSign } from '../model/life-sign.ts'

/** How the supervisor of one service is asked on its host. Scripts of shell that only read. */
export interface Supervisor {
  readonly life: SupervisorQuestion
  /** Of what it prints, the last lines count. `$1` is how many are wanted. */
  readonly log: SupervisorQuestion
  /** Whether the process lives, and how often it was restarted. */
  readonly readLife: (said: SupervisorReply) => LifeSign
}

export interface SupervisorQuestion {
  readonly script: string
  readonly args: readonly string[]
}

/** What came of a question. */
export interface SupervisorReply {
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
}
