import type { GivenApproval } from './playbook.ts'

/** What a saved plan was made from, besides its inventory. */
export interface SavedWith {
  /** SHA-256 over everything else in the file: which plan it is. */
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
  /** For how long `--max-downtime` lets a running service be down. */
  readonly max_downtime_s?: number
}
