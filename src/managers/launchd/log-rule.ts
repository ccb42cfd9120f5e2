import { globMatches } from '../../lib/glob.ts'
import type { Layout } from '../../model/facts.ts'
import type { RotatedLog } from '../../model/mac-settings.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import { logPath } from './definition.ts'

/** Size in KB at which newsyslog rotates a log, and how many old files it keeps. */
const bounds = { sizeKb: 10_240, count: 5 } as const

/** A line of newsyslog.conf(5): the file, its owner, and no process to signal. `G`: the file is a pattern. */
export function logRuleLine(log: string, { user }: Pick<Layout, 'user'>, flags: 'N' | 'GN'): string {
  return `${log} ${user}:staff 640 ${bounds.count} ${bounds.sizeKb} * ${flags}`
}

/** Whether any rule covers the file. */
export function isRotated(log: string, rules: readonly RotatedLog[]): boolean {
  return rules.some(({ path, glob }) => (glob ? globMatches(path, log) : path === log))
}

/** The path of the rule for all logs of a fleet. No label of a service starts like this. */
export function logRulePath(org: string): string {
  return `/etc/newsyslog.d/converge.${org}.conf`
}

/** The ownership label of the rule for all logs of a fleet. */
export function logRuleOwnershipLabel(org: string): string {
  return ownershipLabelOf(org, 'newsyslog')
}

export interface LogRule {
  readonly path: string
  /** The rule without its comment. */
  readonly line: string
  readonly content: string
}

/** One rule for all logs of the account's services. Undefined: newsyslog cannot express a path with such characters. */
export function fleetLogRule(org: string, layout: Pick<Layout, 'user' | 'home'>): LogRule | undefined {
  const logs = logPath({ name: '*' }, layout)
  if (!/^[\w./@+-]+\*\.log$/.test(logs) || !/^[\w.@-]+$/.test(layout.user)) return undefined
  const line = logRuleLine(logs, layout, 'GN')
  const words = [
    `converge: managed ${logRuleOwnershipLabel(org)}`,
    'The logs of model servers under launchd. Written from the inventory (rotate_logs): what is edited here by hand is',
    'overwritten by the next `converge apply`, and the plan before it shows the difference.',
  ]
  return { path: logRulePath(org), line, content: `${words.map((one) => `# ${one}\n`).join('')}${line}\n` }
}
