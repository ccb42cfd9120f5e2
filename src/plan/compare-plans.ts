import type { Action } from '../model/action.ts'
import type { HostPlan, Plan } from '../model/plan.ts'
import { beyondShown } from './beyond-shown.ts'

/**
 * Where a new plan would do more than a saved one, or something else, as lines for people. Empty: everything it does was shown. Doing less is no
 * difference: something was already done, is now refused, or a host is unreachable.
 *
 * @param saved the plan that was shown
 * @param now a plan of the same inventory and selection
 */
export function comparePlans(saved: Plan, now: Plan): readonly string[] {
  return now.hosts.flatMap((host) => {
    const before = saved.hosts.find((one) => one.host === host.host)
    return compareHosts(before, host)
  })
}

function compareHosts(before: HostPlan | undefined, now: HostPlan): readonly string[] {
  const actions = doing(now)
  const shown = before === undefined ? [] : doing(before)
  if (before?.reachable === false && actions.length > 0)
    return [`${now.host} was unreachable when the plan was made, and now has changes: ${idsOf(actions)}`]
  const lines = actions.flatMap((action) => {
    const known = shown.find(({ id }) => id === action.id)
    if (known === undefined) return [`${action.id} was not planned: ${action.reason}`]
    return beyondShown(known, action).map((words) => `${action.id}: ${words}`)
  })
  return [
    ...lines,
    ...newlySettled(before, now),
    ...(lines.length === 0 ? newOrder(now.host, shown, actions) : []),
    ...newlyOverruled(before, now),
  ]
}

function doing(host: HostPlan): readonly Action[] {
  return host.actions.filter(({ kind }) => kind !== 'noop')
}

function newOrder(host: string, before: readonly Action[], now: readonly Action[]): readonly string[] {
  const ids = new Set(now.map(({ id }) => id))
  const shown = before.filter(({ id }) => ids.has(id))
  return idsOf(shown) === idsOf(now) ? [] : [`${host}: the order is now ${idsOf(now)} instead of ${idsOf(shown)}`]
}

/** An earlier run left a server unconfirmed, and the plan shown did not say so: this run could roll it back. */
function newlySettled(before: HostPlan | undefined, { host, bookkeeping = [] }: HostPlan): readonly string[] {
  const shown = new Set(before?.bookkeeping?.map(({ label }) => label))
  const more = bookkeeping.filter(({ label, interrupts }) => interrupts === true && !shown.has(label))
  return more.map(({ label }) => `${host}: "${label}" was not planned`)
}

/** An approval covers only refusals that were shown. */
export function newlyOverruled(
  before: Pick<HostPlan, 'consented'> | undefined,
  now: Pick<HostPlan, 'host' | 'consented'>,
): readonly string[] {
  const keyOf = ({ code, service }: { readonly code: string; readonly service?: string }) => `${code} of ${service ?? now.host}`
  const shown = new Set(before?.consented.map(keyOf))
  return now.consented
    .filter((one) => !shown.has(keyOf(one)))
    .map((one) => `${now.host}: an approval would overrule ${keyOf(one)}, which the plan did not refuse`)
}

function idsOf(actions: readonly Action[]): string {
  return actions.map(({ id }) => id).join(', ')
}
