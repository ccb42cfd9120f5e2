import type { GivenApproval } from './playbook.ts'

/** Input of a saved plan besides its inventory. */
export interface SavedWith {
  /** SHA-256 over the rest of the file: identifies the plan. */
  readonly id: string
  /** The version of converge that made it. */
  readonly tool: string
  /** Names of the selected hosts, in the order of the selection. */
  readonly hosts: readonly string[]
  /** The globs of `-s`; none: all services. */
  readonly services: readonly string[]
  readonly playbook?: { readonly path: string; readonly digest: string }
  /** The approvals of `--allow`. */
  readonly consents: readonly GivenApproval[]
  /** How long `--wait-idle` waits for a server in the middle of a request. */
  readonly wait_idle_s?: number
  /** How long `--max-downtime` allows a running service to be down. */
  readonly max_downtime_s?: number
}
