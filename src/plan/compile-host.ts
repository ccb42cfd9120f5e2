import { defined } from '../lib/defined.ts'
import { keepOnce } from '../managers/previous-copy.ts'
import type { Action } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import type { HostPlan } from '../model/plan.ts'
import type { RollbackTimer } from '../model/rollback-timer.ts'
import { restored } from '../policy/rules/host-restored.ts'
import { unconfirmed } from '../policy/rules/host-unconfirmed.ts'
import type { Candidate } from '../schedule/schedule.ts'
import { restartsCheaply } from '../servers/traits.ts'
import { compileSettings } from '../settings/compile-settings.ts'
import { stepsOf } from '../simulate/service-case.ts'
import { bookkeepingOf } from './bookkeeping.ts'
import { isReplacement } from './is-replacement.ts'
import { plannedSteps } from './planned-steps.ts'

/**
 * What is sent to a host: the steps of each action, and the bookkeeping around them.
 *
 * @param settings actions about the machine itself; they come first
 * @param done the actions of its services, in this order
 */
export function compileHost(
  { fleet, host, facts }: { readonly fleet: Fleet; readonly host: Host; readonly facts: HostFacts },
  settings: readonly Action[],
  done: readonly Candidate[],
): Required<Pick<HostPlan, 'actions'>> & Pick<HostPlan, 'bookkeeping'> {
  const waiting = unconfirmed(facts)
  const adopted = new Set(waiting.filter((timer) => isAdopted(timer, done)).map(({ service }) => service))
  const down = new Set<string>()
  const split = new Set(done.filter(({ action }) => action.temporary !== undefined).map(({ action }) => action.service))
  const compiled = [
    ...settings.map((action) => ({ action, group: compileSettings(action, fleet, host, facts) })),
    ...done.map(({ action, subject }) => {
      const own = stepsOf(subject, action)
      const adopts = action.starts && adopted.has(action.service)
      const group = adopts ? { ...own, steps: own.steps.map(keepOnce) } : own
      // While another server is temporarily stopped, the host cannot roll back alone.
      const arms = down.size === 0 && isReplacement(subject.service, action, group, split.has(action.service))
      if (action.temporary !== undefined) down.add(action.service)
      else if (action.starts) down.delete(action.service)
      const timer = adopts ? ('keep' as const) : arms ? ('arm' as const) : undefined
      return { action, group, ...defined({ timer }) }
    }),
  ]
  const actions = compiled.map(({ action, group }) => ({ ...action, steps: plannedSteps(group) }))
  if (!facts.layout.known) return { actions }
  const unsettled = [...new Set(waiting.map(({ service }) => service))].filter((service) => !adopted.has(service))
  const bookkeeping = bookkeepingOf(facts.layout.value.root, compiled, { unsettled, restored: restored(facts).length > 0 })
  return bookkeeping.length === 0 ? { actions } : { actions, bookkeeping }
}

/** Whether a timer of an earlier run keeps guarding a service: this run starts the server again and then proves it (`apply/settle-timers.ts`). */
function isAdopted({ state, service: name }: RollbackTimer, done: readonly Candidate[]): boolean {
  return (
    state === 'armed' &&
    done.some(({ action, subject: { service } }) => {
      return service.name === name && action.starts && restartsCheaply(service.kind) && service.state === 'running'
    })
  )
}
