import type { NextStep } from './next-step.ts'

/** What `converge doctor --json` prints. */
export interface DoctorDocument {
  readonly schema: 'converge/doctor/v1'
  readonly version: string
  /** The worst of the checks. */
  readonly verdict: Verdict
  readonly checks: readonly Check[]
}

/** `note`: converge works, but something may surprise; `problem`: it cannot do its work. */
export type Verdict = 'ok' | 'note' | 'problem'

export interface Check {
  readonly about: Subject
  readonly verdict: Verdict
  /** A phrase: what was found. */
  readonly found: string
  /** Empty if there is nothing to do. */
  readonly next: readonly NextStep[]
}

export type Subject =
  | 'node'
  | 'ssh'
  | 'ssh-keygen'
  | 'agent'
  | 'state'
  | 'cache'
  | 'clock'
  | 'terminal'
  | 'inventory'
  | 'schedules'
