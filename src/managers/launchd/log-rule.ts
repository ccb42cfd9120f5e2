import { globMatches } from '../../lib/glob.ts'
import type { Layout } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { RotatedLog } from '../../model/mac-settings.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import { accountOf, logPath } from './definition.ts'
import { domainOf } from './domain.ts'

/** Size in KB at which newsyslog rotates a log, and how many old files it keeps. */
const bounds = { sizeKb: 10_240, count: 5 } as const

/** A line of newsyslog.conf(5): the log of a service, its owner, and no process to signal. `G`: the name is a pattern. */
export function logRuleLine(service: LoggingService, layout: Pick<Layout, 'user' | 'home'>, flags: 'N' | 'GN'): string {
  // The group of another account is unknown: then the file keeps that of its folder.
  const owner = domainOf(service) === 'system' ? `${accountOf(service, layout)}:` : `${layout.user}:staff`
  return `${logPath(service, layout)} ${owner} 640 ${bounds.count} ${bounds.sizeKb} * ${flags}`
}

type LoggingService = Pick<Service, 'name' | 'domain' | 'user'>

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
  /** The rule without its comment, in one line for people. */
  readonly line: string
  readonly content: string
}

/**
 * One rule for all logs of the services: those of the account's agents, and those of the daemons of each account. Undefined: newsyslog cannot
 * express a path with such characters.
 */
export function fleetLogRule(
  org: string,
  layout: Pick<Layout, 'user' | 'home'>,
  services: readonly LoggingService[],
): LogRule | undefined {
  const all = services.map((service) => ({ ...service, name: '*' }))
  const isSayable = (one: LoggingService) =>
    /^[\w./@+-]+\*\.log$/.test(logPath(one, layout)) && /^[\w.@-]+$/.test(accountOf(one, layout))
  if (!all.every(isSayable)) return undefined
  const lines = [...new Set(all.map((one) => logRuleLine(one, layout, 'GN')))].toSorted()
  const words = [
    `converge: managed ${logRuleOwnershipLabel(org)}`,
    'The logs of model servers under launchd. Written from the inventory (rotate_logs): what is edited here by hand is',
    'overwritten by the next `converge apply`, and the plan before it shows the difference.',
  ]
  const content = [...words.map((one) => `# ${one}`), ...lines].map((one) => `${one}\n`).join('')
  return { path: logRulePath(org), line: lines.join('; '), content }
}
