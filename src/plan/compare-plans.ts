import { stableJson } from '../lib/stable-json.ts'
import type { Action } from '../model/action.ts'
import type { HostPlan, Plan } from '../model/plan.ts'
import { changeWords } from './exceeds.ts'
import { changedPreconditions } from './preconditions.ts'
import { stepsBeyond } from './steps-beyond.ts'

/**
 * Where a plan that was made just now would do more than a saved one, or something else; as lines for people, empty: all that would be
 * done was shown. Less is no difference: what somebody did in the meantime, what is refused by now, a host that is away.
 *
 * @param saved as it was shown
 * @param now of the same inventory and the same selection
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
    return [`${now.host} could not be looked at when the plan was made; now there is something to do: ${idsOf(actions)}`]
  const lines = actions.flatMap((action) => {
    const known = shown.find(({ id }) => id === action.id)
    return known === undefined ? [`${action.id} was not planned: ${action.reason}`] : compareActions(known, action)
  })
  return [...lines, ...(lines.length === 0 ? newOrder(now.host, shown, actions) : []), ...newlyOverruled(before, now)]
}

function doing(host: HostPlan): readonly Action[] {
  return host.actions.filter(({ kind }) => kind !== 'noop')
}

function compareActions(before: Action, now: Action): readonly string[] {
  const relied = changedPreconditions(before.relies_on, now.relies_on)
  const other = relied.length === 0 && whatIsDone(before) !== whatIsDone(now) ? ['what it does is not the same any more'] : []
  const fields = changedFields(before, now)
  const others = fields.length === 0 ? [...other, ...(relied.length === 0 ? stepsBeyond(before.steps, now.steps) : [])] : []
  return [...relied, ...fields, ...others].map((words) => `${now.id}: ${words}`)
}

/** Everything that people agree to; not why, nor how long it is thought to take. */
function whatIsDone(action: Action): string {
  const {
    reason: _reason,
    downtime: _downtime,
    downtime_s: _seconds,
    note: _note,
    relies_on: _relies,
    steps: _steps,
    ...rest
  } = action
  return stableJson(rest)
}

function changedFields(before: Action, now: Action): readonly string[] {
  const shown = new Set(before.changes.map(changeWords))
  return now.changes
    .filter((change) => !shown.has(changeWords(change)))
    .map((change) => {
      const old = before.changes.find(({ field }) => field === change.field)
      return old === undefined
        ? `${changeWords(change)} was not planned`
        : `${changeWords(change)}, planned was ${old.from ?? '(none)'} → ${old.to ?? '(none)'}`
    })
}

function newOrder(host: string, before: readonly Action[], now: readonly Action[]): readonly string[] {
  const ids = new Set(now.map(({ id }) => id))
  const shown = before.filter(({ id }) => ids.has(id))
  return idsOf(shown) === idsOf(now) ? [] : [`${host}: the order would be ${idsOf(now)}, planned was ${idsOf(shown)}`]
}

/** A consent was given for what was shown to be refused. */
export function newlyOverruled(
  before: Pick<HostPlan, 'consented'> | undefined,
  now: Pick<HostPlan, 'host' | 'consented'>,
): readonly string[] {
  const keyOf = ({ code, service }: { readonly code: string; readonly service?: string }) => `${code} of ${service ?? now.host}`
  const shown = new Set(before?.consented.map(keyOf))
  return now.consented
    .filter((one) => !shown.has(keyOf(one)))
    .map((one) => `${now.host}: a consent would overrule ${keyOf(one)}, which was not refused then`)
}

function idsOf(actions: readonly Action[]): string {
  return actions.map(({ id }) => id).join(', ')
}
