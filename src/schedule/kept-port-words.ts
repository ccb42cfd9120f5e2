import type { Refusal } from '../model/refusal.ts'
import { unapproved } from '../policy/judge-action.ts'
import { holdersOf, portTaken } from '../policy/rules/port-taken.ts'
import { type HostState, withoutProcesses } from '../simulate/host-state.ts'
import { simulate } from '../simulate/simulate.ts'
import { judgeCandidate, type PolicyContext } from './judge-candidate.ts'
import type { Candidate } from './schedule.ts'

/**
 * The real cause if services of the inventory hold each other's ports: what would be refused if the holder were gone, of the action itself or
 * of the holder's own move after it. Evidence for PORT.TAKEN; empty for other refusals.
 *
 * @param open the actions that are not done, including the holder's move
 */
export function keptPortWords(
  refusal: Refusal,
  candidate: Candidate,
  { open, state, policy }: { readonly open: readonly Candidate[]; readonly state: HostState; readonly policy: PolicyContext },
): readonly string[] {
  if (refusal.code !== portTaken.code) return []
  const { name } = candidate.subject.service
  const holders = holdersOf(candidate.subject.service, state).flatMap(({ service }) => service ?? [])
  return [...new Set(holders)].flatMap((holder) => {
    const move = open.find(({ action }) => action.service === holder && action.starts)
    if (move === undefined) return [`${holder}: this plan does not move it`]
    const cleared = withoutProcesses(state, holder)
    const own = refusalWords(candidate, cleared, policy)
    if (own.length > 0) return own.map((words) => `without ${holder}, ${name} would still be refused: ${words}`)
    // An action that only writes leaves its server running, which would block again.
    const there = simulate(withoutProcesses(cleared, name), candidate.action, candidate.subject)
    const moved = refusalWords(move, there, policy)
    return moved.map((words) => `with ${name} there, ${holder} could not start on its own port: ${words}`)
  })
}

function refusalWords(candidate: Candidate, state: HostState, policy: PolicyContext): readonly string[] {
  return unapproved(judgeCandidate(candidate, state, policy).refusals).map(({ code, why }) => `${code}: ${why}`)
}
