import type { LifeSign } from '../model/life-sign.ts'

/** How to ask the supervisor of one service on its host. */
export interface Supervisor {
  /** A read-only shell script. */
  readonly life: SupervisorQuestion
  /** Where its server writes; empty: nowhere. */
  readonly logs: readonly LogSource[]
  /** Whether the process lives, and how often it was restarted. */
  readonly readLife: (reply: SupervisorReply) => LifeSign
}

export interface SupervisorQuestion {
  readonly script: string
  readonly args: readonly string[]
}

/** A place on the host that has lines of a server. `src/logs/log-script.ts` reads each kind. */
export type LogSource =
  | { readonly in: 'file'; readonly path: string }
  /** @param docker absolute path of the client */
  | { readonly in: 'container'; readonly docker: string; readonly name: string }
  | { readonly in: 'journal'; readonly unit: string }

/** The result of a question. */
export interface SupervisorReply {
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
}
