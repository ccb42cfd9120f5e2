// Generated from schemas/ by `npm run generate`; not to be edited.

/**
 * One line of text that is not empty.
 */
export type Text = string
/**
 * A number of hosts.
 */
export type BatchCount = number
/**
 * A percentage of the play's hosts, at least one.
 */
export type BatchPercent = string
/**
 * A list of plays, run in order. A play says which hosts and services to change, how many hosts at a time, and how to verify them.
 */
export type PlaybookFile = Play[]

/**
 * Changes to some hosts.
 */
export interface Play {
  /**
   * The name in the output. Default: the host pattern.
   */
  name?: string
  /**
   * A host pattern in Ansible's grammar: `macs:&small`, `all:!nas`, `~^mac-`, `linux[0]`. `converge help patterns` explains it.
   */
  hosts: string
  /**
   * Only services whose name matches: a glob, or a list of globs.
   */
  services?: Text | [Text, ...Text[]]
  /**
   * The number of hosts at a time: a number, a percentage, or a list of both whose last entry repeats. Default: all hosts at once.
   */
  serial?: BatchCount | BatchPercent | [BatchCount | BatchPercent, ...(BatchCount | BatchPercent)[]]
  /**
   * If a larger share of a batch fails or is unreachable, no further batch starts.
   */
  max_fail_percentage?: number
  /**
   * `smoke`: the whole smoke test with a timed request. `health`: wait until the server answers. `none`: no test.
   */
  verify?: 'none' | 'health' | 'smoke'
  /**
   * How many times as long the first chat of a started server may take as the one of its last tested start. A slower server fails its smoke test. Needs `verify: smoke`. Default: not compared; `converge upgrade`: 3.
   */
  max_slowdown?: number
  /**
   * Approvals that overrule refusals. Each names the refusal and the reason. `converge help approvals` lists the refusals that you can approve.
   */
  approvals?: Approval[]
  /**
   * @deprecated
   * The former name of `approvals`. Write `approvals`.
   */
  consents?: Approval[]
}
/**
 * Overrules one refusal code for some services.
 */
export interface Approval {
  /**
   * The code of the refusal. `converge explain CODE` says what it means.
   */
  code: string
  /**
   * One line of text that is not empty.
   */
  service: string
  /**
   * One line of text that is not empty.
   */
  host?: string
  /**
   * One line of text that is not empty.
   */
  reason: string
  /**
   * When it expires: a time with its time zone.
   */
  until?: string
}
