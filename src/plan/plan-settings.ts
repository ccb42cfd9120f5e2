import { type Action, type FieldChange, hostItself } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import { mapObserved } from '../model/observed.ts'
import type { Refusal } from '../model/refusal.ts'
import { factUnknownRule } from '../policy/fact-unknown.ts'
import { rules } from '../policy/index.ts'
import { refusalOf } from '../policy/refusal-of.ts'
import type { Finding, Rule } from '../policy/rule.ts'
import { factUnknown } from '../policy/words.ts'
import { compareTimers } from '../settings/sleep-timers.ts'

/** What is planned for the machine itself: at most one action, which changes everything that differs. */
export interface SettingsPlan {
  readonly actions: readonly Action[]
  readonly held_back: readonly Action[]
  readonly refusals: readonly Refusal[]
}

/** What the inventory sets of the machine against what is set there. Nothing of the services depends on it, nor it on them. */
export function planSettings(fleet: Fleet, host: Host, facts: HostFacts): SettingsPlan {
  const { sleep } = host
  if (sleep === undefined) return { actions: [], held_back: [], refusals: [] }
  const { power } = facts
  const compared = power.known ? compareTimers(sleep, power.value) : power
  if (!compared.known) {
    const words = { host: host.name, decision: `whether ${Object.keys(sleep).join(', ')} has to be set` }
    return refused(host, [], [{ rule: factUnknownRule, finding: factUnknown('The power management', compared, words) }])
  }
  const changes = compared.value
  if (changes.length === 0) return { actions: [settingAction(host, facts, changes)], held_back: [], refusals: [] }
  const action = settingAction(host, facts, changes)
  const against = rules.flatMap((rule) =>
    (rule.checkSetting?.({ fleet, host, facts, changes }) ?? []).map((finding) => ({ rule, finding })),
  )
  return against.length === 0 ? { actions: [action], held_back: [], refusals: [] } : refused(host, [action], against)
}

function refused(
  host: Host,
  actions: readonly Action[],
  against: readonly { readonly rule: Rule; readonly finding: Finding }[],
): SettingsPlan {
  const about = { host: host.name, service: hostItself, actions: actions.map(({ id }) => id) }
  return { actions: [], held_back: actions, refusals: against.map(({ rule, finding }) => refusalOf(rule, finding, about)) }
}

function settingAction(host: Host, { platform }: HostFacts, changes: readonly FieldChange[]): Action {
  const kind = changes.length === 0 ? 'noop' : 'host-setting'
  const boot = mapObserved(platform, ({ bootId }) => (bootId === undefined ? {} : { boot_id: bootId }))
  return {
    id: `${host.name}/${hostItself}/${kind}`,
    host: host.name,
    service: hostItself,
    kind,
    risk: kind === 'noop' ? 'none' : 'safe',
    reason: kind === 'noop' ? 'Its sleep timers are as wanted.' : 'The power management of the Mac is set otherwise than wanted.',
    changes,
    downtime: 'none',
    downtime_s: 0,
    interrupts: false,
    starts: false,
    relies_on: kind === 'noop' || !boot.known ? {} : boot.value,
  }
}
