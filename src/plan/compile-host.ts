import type { Action } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import type { HostPlan } from '../model/plan.ts'
import type { Candidate } from '../schedule/schedule.ts'
import { compileSettings } from '../settings/compile-settings.ts'
import { stepsOf } from '../simulate/service-case.ts'
import { bookkeepingOf } from './bookkeeping.ts'
import { isReplacement } from './is-replacement.ts'
import { plannedSteps } from './planned-steps.ts'

/**
 * What is sent to a host: the steps of each action that will be done, and what is done around them.
 *
 * @param settings actions about the machine itself; they come first
 * @param done what was decided of its services, in this order
 */
export function compileHost(
  { fleet, host, facts }: { readonly fleet: Fleet; readonly host: Host; readonly facts: HostFacts },
  settings: readonly Action[],
  done: readonly Candidate[],
): Required<Pick<HostPlan, 'actions'>> & Pick<HostPlan, 'bookkeeping'> {
  const down = new Set(done.filter(({ action }) => action.temporary !== undefined).map(({ action }) => action.service))
  const compiled = [
    ...settings.map((action) => ({ action, group: compileSettings(action, host, fleet.settings.org, facts), timer: false })),
    ...done.map(({ action, subject }) => {
      const group = stepsOf(subject, action)
      return { action, group, timer: isReplacement(subject.service, action, group, down.has(action.service)) }
    }),
  ]
  const actions = compiled.map(({ action, group }) => ({ ...action, steps: plannedSteps(group) }))
  if (!facts.layout.known || compiled.length === 0) return { actions }
  return { actions, bookkeeping: bookkeepingOf(facts.layout.value.root, compiled) }
}
