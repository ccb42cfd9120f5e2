// Generated from schemas/ by `npm run generate`; not to be edited.

/**
 * One line of text that is not empty.
 */
export type Text = string
/**
 * That many hosts at a time.
 */
export type BatchCount = number
/**
 * A percentage of the play's hosts, at least one.
 */
export type BatchPercent = string
/**
 * A list of plays, run in order: which hosts and services, how many hosts at a time, how sure one wants to be afterwards.
 */
export type PlaybookFile = Play[]

/**
 * One round over some hosts.
 */
export interface Play {
  /**
   * For people. Default: the host pattern.
   */
  name?: string
  /**
   * A host pattern in Ansible's grammar: `macs:&small`, `all:!nas`, `~^mac-`, `linux[0]`.
   */
  hosts: string
  /**
   * Only services whose name matches: a glob, or a list of globs.
   */
  services?: Text | [Text, ...Text[]]
  /**
   * How many hosts at a time: a number, a percentage, or a list of both whose last one repeats. Without it all hosts at once.
   */
  serial?: BatchCount | BatchPercent | [BatchCount | BatchPercent, ...(BatchCount | BatchPercent)[]]
  /**
   * When more than this share of a batch failed or was unreachable, no further batch starts.
   */
  max_fail_percentage?: number
  /**
   * `smoke`: the whole smoke test with a timed completion. `health`: only until the server answers. `none`: nothing.
   */
  verify?: 'none' | 'health' | 'smoke'
  /**
   * Refusals that this play overrules. Each approval names a code, a service and a reason. Some refusals cannot be overruled.
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
   * The refusal's code; `converge explain CODE` says what it means.
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
   * The instant after which it no longer holds, with its time zone.
   */
  until?: string
}
