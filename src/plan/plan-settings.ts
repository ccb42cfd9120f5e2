import { defined } from '../lib/defined.ts'
import { type Action, type FieldChange, hostItself } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import { known, mapObserved, type Observed } from '../model/observed.ts'
import type { Refusal } from '../model/refusal.ts'
import { rules } from '../policy/index.ts'
import { refusalOf } from '../policy/refusal-of.ts'
import type { Finding, Rule } from '../policy/rule.ts'
import { factUnknownRule } from '../policy/rules/fact-unknown.ts'
import { factUnknown } from '../policy/words.ts'
import { type LogRotation, logRuleField, missingRotation, rotationChange, rotationDiff } from '../settings/log-rotation.ts'
import { compareTimers } from '../settings/sleep-timers.ts'

/** The plan for the machine itself: at most one action, which changes all settings that differ. */
export interface SettingsPlan {
  readonly actions: readonly Action[]
  readonly held_back: readonly Action[]
  readonly refusals: readonly Refusal[]
}

/** Compares the settings of the machine with the inventory. Services do not depend on them, nor they on services. */
export function planSettings(fleet: Fleet, host: Host, facts: HostFacts): SettingsPlan {
  const { sleep, rotateLogs } = host
  if (sleep === undefined && rotateLogs !== true) return { actions: [], held_back: [], refusals: [] }
  const timers = sleep === undefined ? known([]) : timersToSet(sleep, facts)
  if (!timers.known) {
    const words = { host: host.name, decision: `whether ${Object.keys(sleep ?? {}).join(', ')} must be set` }
    return refused(host, [], [{ rule: factUnknownRule, finding: factUnknown('The power management', timers, words) }])
  }
  const rotation = missingRotation(fleet.settings.org, host, facts)
  if (!rotation.known) {
    const words = { host: host.name, decision: 'whether newsyslog needs a rule' }
    return refused(host, [], [{ rule: factUnknownRule, finding: factUnknown('The newsyslog rule', rotation, words) }])
  }
  const changes = [...timers.value, ...(rotation.value === null ? [] : [rotationChange(rotation.value)])]
  if (changes.length === 0)
    return { actions: [settingAction(host, facts, { changes, rotation: null })], held_back: [], refusals: [] }
  const action = settingAction(host, facts, { changes, rotation: rotation.value })
  const against = rules.flatMap((rule) =>
    (rule.checkSetting?.({ fleet, host, facts, changes }) ?? []).map((finding) => ({ rule, finding })),
  )
  return against.length === 0 ? { actions: [action], held_back: [], refusals: [] } : refused(host, [action], against)
}

function timersToSet(sleep: NonNullable<Host['sleep']>, { power }: HostFacts): Observed<readonly FieldChange[]> {
  return power.known ? compareTimers(sleep, power.value) : power
}

function refused(
  host: Host,
  actions: readonly Action[],
  against: readonly { readonly rule: Rule; readonly finding: Finding }[],
): SettingsPlan {
  const about = { host: host.name, service: hostItself, actions: actions.map(({ id }) => id) }
  return { actions: [], held_back: actions, refusals: against.map(({ rule, finding }) => refusalOf(rule, finding, about)) }
}

function settingAction(
  host: Host,
  { platform }: HostFacts,
  { changes, rotation }: { readonly changes: readonly FieldChange[]; readonly rotation: LogRotation | null },
): Action {
  const kind = changes.length === 0 ? 'noop' : 'host-setting'
  const boot = mapObserved(platform, ({ bootId }) => defined({ boot_id: bootId }))
  return {
    id: `${host.name}/${hostItself}/${kind}`,
    host: host.name,
    service: hostItself,
    kind,
    risk: kind === 'noop' ? 'none' : 'safe',
    reason: reasonFor(host, changes),
    changes,
    ...(rotation === null ? {} : { diff: rotationDiff(rotation) }),
    downtime: 'none',
    downtime_s: 0,
    interrupts: false,
    starts: false,
    relies_on: kind === 'noop' || !boot.known ? {} : boot.value,
  }
}

function reasonFor({ sleep }: Host, changes: readonly FieldChange[]): string {
  if (changes.length === 0) return sleep === undefined ? 'Its logs are rotated.' : 'Its sleep timers are as desired.'
  if (changes.every(isRule)) return 'newsyslog has no rule for the logs.'
  return changes.some(isRule) ? 'The power management and the log rotation differ.' : 'The power management of the Mac differs.'
}

function isRule({ field }: FieldChange): boolean {
  return field === logRuleField
}
