import { defined } from '../lib/defined.ts'
import { type Action, type FieldChange, hostItself } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import { known, mapObserved, type Observed } from '../model/observed.ts'
import type { Refusal } from '../model/refusal.ts'
import { type Approvals, withApproval } from '../policy/approvals.ts'
import { rules } from '../policy/index.ts'
import { unapproved } from '../policy/judge-action.ts'
import { refusalOf } from '../policy/refusal-of.ts'
import type { Finding, Rule } from '../policy/rule.ts'
import { factUnknownRule } from '../policy/rules/fact-unknown.ts'
import { factUnknown } from '../policy/words.ts'
import {
  type DueEndpoints,
  dueEndpoints,
  endpointsChange,
  endpointsDiff,
  filesOf,
  isEndpoints,
} from '../settings/endpoints-files.ts'
import { isTimer } from '../settings/is-timer.ts'
import { type LogRotation, logRuleField, missingRotation, rotationChange, rotationDiff } from '../settings/log-rotation.ts'
import { compareTimers } from '../settings/sleep-timers.ts'

/** The plan for the machine itself: at most one action, which changes all settings that differ. */
export interface SettingsPlan {
  readonly actions: readonly Action[]
  readonly held_back: readonly Action[]
  readonly refusals: readonly Refusal[]
  /** Refusals that an approval overruled. */
  readonly consented: readonly Refusal[]
  /** The same where another refusal still holds the action back. */
  readonly unused: readonly Refusal[]
}

export const noSettings: SettingsPlan = { actions: [], held_back: [], refusals: [], consented: [], unused: [] }

/** Compares the settings of the machine with the inventory. Services do not depend on them, nor they on services. */
export function planSettings(fleet: Fleet, host: Host, facts: HostFacts, approvals: Approvals): SettingsPlan {
  const { sleep, rotateLogs } = host
  if (sleep === undefined && rotateLogs !== true && filesOf(fleet, host).length === 0) return noSettings
  const due = dueSettings(fleet, host, facts)
  if ('finding' in due) return refused(host, [], { against: [{ rule: factUnknownRule, finding: due.finding }], approvals })
  const action = settingAction(fleet, host, { facts, due })
  const { changes } = action
  if (changes.length === 0) return { ...noSettings, actions: [action] }
  const against = rules.flatMap((rule) =>
    (rule.checkSetting?.({ fleet, host, facts, changes }) ?? []).map((finding) => ({ rule, finding })),
  )
  return refused(host, [action], { against, approvals })
}

/** What differs, or why that is unknown. */
function dueSettings(fleet: Fleet, host: Host, facts: HostFacts): DueSettings | { readonly finding: Finding } {
  const { sleep } = host
  const unknownOf = (what: string, observed: Exclude<Observed<unknown>, { known: true }>, decision: string) => ({
    finding: factUnknown(what, observed, { host: host.name, decision }),
  })
  const timers = sleep === undefined ? known([]) : timersToSet(sleep, facts)
  if (!timers.known)
    return unknownOf('The power management', timers, `whether ${Object.keys(sleep ?? {}).join(', ')} must be set`)
  const rotation = missingRotation(fleet.settings.org, host, facts)
  if (!rotation.known) return unknownOf('The newsyslog rule', rotation, 'whether newsyslog needs a rule')
  const endpoints = dueEndpoints(fleet, host, facts)
  if (!endpoints.known) return unknownOf('The list of endpoints', endpoints, 'whether it must be written')
  return { timers: timers.value, rotation: rotation.value, endpoints: endpoints.value }
}

function timersToSet(sleep: NonNullable<Host['sleep']>, { power }: HostFacts): Observed<readonly FieldChange[]> {
  return power.known ? compareTimers(sleep, power.value) : power
}

/** All refusals must be overruled; otherwise the action is held back. */
function refused(
  host: Host,
  actions: readonly Action[],
  {
    against,
    approvals,
  }: { readonly against: readonly { readonly rule: Rule; readonly finding: Finding }[]; readonly approvals: Approvals },
): SettingsPlan {
  const about = { host: host.name, service: hostItself, actions: actions.map(({ id }) => id) }
  const found = against.map(({ rule, finding }) => withApproval(refusalOf(rule, finding, about), host.name, approvals))
  const refusals = unapproved(found)
  const overruled = found.filter(({ consent }) => consent !== undefined)
  if (refusals.length === 0) return { ...noSettings, actions, consented: overruled }
  return { ...noSettings, held_back: actions, refusals, unused: overruled }
}

interface DueSettings {
  readonly timers: readonly FieldChange[]
  readonly rotation: LogRotation | null
  readonly endpoints: readonly DueEndpoints[]
}

function settingAction(
  fleet: Fleet,
  host: Host,
  { facts, due }: { readonly facts: HostFacts; readonly due: DueSettings },
): Action {
  const { timers, rotation, endpoints } = due
  const changes = [...timers, ...(rotation === null ? [] : [rotationChange(rotation)]), ...endpoints.map(endpointsChange)]
  const kind = changes.length === 0 ? 'noop' : 'host-setting'
  const diff = [...(rotation === null ? [] : [rotationDiff(rotation)]), ...endpoints.map(endpointsDiff)].join('')
  const boot = mapObserved(facts.platform, ({ bootId }) => defined({ boot_id: bootId }))
  return {
    id: `${host.name}/${hostItself}/${kind}`,
    host: host.name,
    service: hostItself,
    kind,
    risk: kind === 'noop' ? 'none' : 'safe',
    reason: reasonFor(fleet, host, changes),
    changes,
    ...(diff === '' ? {} : { diff }),
    downtime: 'none',
    downtime_s: 0,
    interrupts: false,
    starts: false,
    relies_on: !boot.known || changes.every(isEndpoints) ? {} : boot.value,
  }
}

function reasonFor(fleet: Fleet, host: Host, changes: readonly FieldChange[]): string {
  const files = filesOf(fleet, host).length > 0
  if (changes.length === 0)
    return host.sleep !== undefined
      ? 'Its sleep timers are as desired.'
      : files
        ? 'Its list of endpoints is as desired.'
        : 'Its logs are rotated.'
  if (changes.every(isRule)) return 'newsyslog has no rule for the logs.'
  if (changes.every(isTimer)) return 'The power management of the Mac differs.'
  const parts = [
    ...(changes.some(isTimer) ? ['the power management'] : []),
    ...(changes.some(isRule) ? ['the log rotation'] : []),
    ...(changes.some(isEndpoints) ? ['the list of endpoints'] : []),
  ]
  const words = parts.length === 1 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} ${parts.length === 1 ? 'differs' : 'differ'}.`
}

function isRule({ field }: FieldChange): boolean {
  return field === logRuleField
}
