import type { Action } from '../../src/model/action.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import type { Plan } from '../../src/model/plan.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { executed } from './executed.ts'
import { factsOf } from './fleet-input.ts'
import { isPaused } from './paused-container.ts'
import { withApplied, withFilesAlone, withRecordAlone, withStopped } from './simulated-host.ts'
import { rebalanced } from './taken-memory.ts'

/** The fleet after all that a plan does. */
export function done(input: PlanInput, plan: Plan): PlanInput {
  return doneUntil(input, plan, 1)
}

/**
 * The fleet after a run that was cut off: on each host this share of the actions is done, and where it ends within one, that one is
 * done by half.
 *
 * @param share 0 to 1
 */
export function doneUntil(input: PlanInput, plan: Plan, share: number): PlanInput {
  const facts = plan.hosts.map(({ host, actions }) => {
    const due = actions.filter(({ kind }) => kind !== 'noop')
    const halves = Math.floor(share * 2 * due.length)
    const whole = due.slice(0, Math.floor(halves / 2)).reduce((now, action) => after(now, action, input), factsOf(input, host))
    const next = halves % 2 === 1 ? due[Math.floor(halves / 2)] : undefined
    const end = next === undefined ? whole : halfDone(whole, next, input)
    // What was applied is written down last of all.
    return [host, share < 1 ? { ...end, applied: factsOf(input, host).applied } : end] as const
  })
  return { ...input, facts: new Map([...input.facts, ...facts]) }
}

function after(facts: HostFacts, action: Action, input: PlanInput): HostFacts {
  const service = serviceOf(input, action)
  const goesOn = action.kind === 'start' && isPaused(facts, service)
  const now = rebalanced(facts, executed(facts, action, input), service, action.starts && !goesOn)
  return action.kind === 'stop' ? recorded(now, service, input) : now
}

/** Without its key nothing can be said of the definition that was applied. */
function recorded(facts: HostFacts, service: Service, { fleet, keys }: PlanInput): HostFacts {
  const key = keys.get(`${service.host}/${service.name}`)
  if (service.key !== undefined && key?.known !== true) return facts
  return withRecordAlone(facts, { fleet, service, key: key?.known === true ? key.value : undefined, running: false })
}

/** What is replaced is down, with its new files in place; what is loaded for a moment runs; what is removed is down. Else nothing. */
function halfDone(facts: HostFacts, action: Action, input: PlanInput): HostFacts {
  const service = serviceOf(input, action)
  const key = input.keys.get(`${service.host}/${service.name}`)
  const applied = { fleet: input.fleet, service, key: key?.known === true ? key.value : undefined }
  if (action.momentary === true) return rebalanced(facts, withApplied(facts, { ...applied, running: true }), service, true)
  if (!action.interrupts) return facts
  const files = action.starts ? withFilesAlone(facts, { ...applied, running: true }) : facts
  return rebalanced(facts, withStopped(files, service), service, false)
}

function serviceOf({ fleet }: PlanInput, { host, service, id }: Action): Service {
  const found = fleet.hosts.flatMap(({ services }) => services).find((one) => one.host === host && one.name === service)
  if (found === undefined) throw new Error(`there is no service for ${id}`)
  return found
}
