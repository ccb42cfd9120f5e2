import { isManagedService } from '../inventory/is-managed-service.ts'
import { sha256 } from '../lib/digest.ts'
import { textDiff } from '../lib/text-diff.ts'
import { managers } from '../managers/index.ts'
import { fleetLogRule, isRotated, type LogRule, logRuleOwnershipLabel } from '../managers/launchd/log-rule.ts'
import type { FieldChange } from '../model/action.ts'
import type { DefinitionFile, HostFacts, Layout } from '../model/facts.ts'
import type { Host, Service } from '../model/fleet.ts'
import { known, mapObserved, type Observed, unknown } from '../model/observed.ts'

/** Field of the change that is not a sleep timer. */
export const logRuleField = 'newsyslog'

/** The desired newsyslog rule of a Mac, and the observed file at its path. */
export interface LogRotation {
  readonly rule: LogRule
  readonly was: DefinitionFile | null
}

/** World-readable, like newsyslog's own. */
export const ruleMode = 0o644

/** What to write; null: nothing. Foreign rules that cover the logs are enough; a foreign file at our path is refused (DEFINITION.FOREIGN). */
export function missingRotation(org: string, host: Host, facts: HostFacts): Observed<LogRotation | null> {
  const logging = host.services.filter((service) => managers[service.manager].logFile !== undefined && isManagedService(service))
  if (host.rotateLogs !== true || logging.length === 0) return known(null)
  const { layout } = facts
  if (!layout.known) return layout
  const rule = fleetLogRule(org, layout.value, logging)
  if (rule === undefined) return unknown('unreadable', `newsyslog cannot express a path in ${layout.value.home}`)
  const was = facts.definitions[rule.path] ?? unknown('not-gathered', `the host was not asked about ${rule.path}`)
  if (!was.known) return was
  if (was.value?.mark === logRuleOwnershipLabel(org)) return known(isAsWanted(rule, was.value) ? null : { rule, was: was.value })
  const covered = areRotated(logging, layout.value, facts.rotatedLogs)
  return mapObserved(covered, (all) => (all ? null : { rule, was: was.value }))
}

/** Whether foreign rules cover all logs. */
function areRotated(services: readonly Service[], layout: Layout, rules: HostFacts['rotatedLogs']): Observed<boolean> {
  if (rules?.known !== true) return rules ?? unknown('not-gathered', 'the host was not asked for the rules of newsyslog')
  const logs = services.flatMap((service) => managers[service.manager].logFile?.(service, layout) ?? [])
  return known(logs.every((log) => isRotated(log, rules.value)))
}

function isAsWanted({ content }: LogRule, { digest, mode }: DefinitionFile): boolean {
  return digest === sha256(content) && mode === ruleMode
}

export function rotationChange({ rule, was }: LogRotation): FieldChange {
  const from = was === null ? null : `other text (SHA-256 ${was.digest.slice(0, 12)}, mode ${was.mode.toString(8)})`
  return { field: logRuleField, from, to: rule.line, effect: 'none' }
}

/** The whole file, for people. */
export function rotationDiff({ rule, was }: LogRotation): string {
  return textDiff(rule.path.replace(/^\//, ''), was?.content ?? '', rule.content)
}
