import type { Action } from '../model/action.ts'
import { unapproved } from '../policy/judge-action.ts'
import type { HostState } from '../simulate/host-state.ts'
import { simulate } from '../simulate/simulate.ts'
import type { Decision } from './judge.ts'
import { judgeCandidate, type PolicyContext } from './judge-candidate.ts'
import type { Candidate } from './schedule.ts'

/** Gives each temporary stop its reason. */
export function explainStops(decision: Decision, start: HostState, policy: PolicyContext): Decision {
  const done = decision.done.map((candidate, index, all): Candidate => {
    const { action } = candidate
    if (action.temporary === undefined) return candidate
    const room = roomMakers(all, index, start, policy)
    return { ...candidate, action: explained(action, action.temporary, room) }
  })
  return { ...decision, done }
}

/** Actions that need the stop: without it they would be refused, or would need more approvals; and actions that depend on those. */
function roomMakers(done: readonly Candidate[], index: number, start: HostState, policy: PolicyContext): readonly Action[] {
  const service = done[index]?.action.service
  const end = done.findIndex(({ action }, at) => at > index && action.service === service && action.starts)
  const refused: Action[] = []
  let planned = start
  let without = start
  for (const [at, candidate] of done.slice(0, end).entries()) {
    const { action, subject } = candidate
    if (at < index || action.service !== service) {
      const needed = judgeCandidate(candidate, planned, policy).refusals.length
      const { refusals } = judgeCandidate(candidate, without, policy)
      if (unapproved(refusals).length > 0 || refusals.length > needed) refused.push(action)
      else without = simulate(without, action, subject)
    }
    planned = simulate(planned, action, subject)
  }
  return refused
}

function explained(action: Action, temporary: NonNullable<Action['temporary']>, room: readonly Action[]): Action {
  const names = [...new Set(room.map(({ service }) => service))]
  return {
    ...action,
    reason: `Stopped temporarily, until ${names.join(' and ')} ${names.length === 1 ? 'has' : 'have'} changed.`,
    temporary: { ...temporary, makes_room_for: room.map(({ id }) => id) },
  }
}
