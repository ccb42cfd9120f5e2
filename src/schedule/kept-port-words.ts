import type { Refusal } from '../model/refusal.ts'
import { unapproved } from '../policy/judge-action.ts'
import { holdersOf, portTaken } from '../policy/rules/port-taken.ts'
import { type HostState, withoutProcesses } from '../simulate/host-state.ts'
import { simulate } from '../simulate/simulate.ts'
import { judgeCandidate, type PolicyContext } from './judge-candidate.ts'
import type { Candidate } from './schedule.ts'

/**
 * What really blocks where services of the inventory are on each other's ports: what would be refused if the holder were gone,
 * of the action itself or of the holder's own move after it. For the evidence of the refusal; of other refusals nothing.
 *
 * @param open what is not done, the holder's move among it
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
    if (move === undefined) return [`${holder}: nothing is planned that would move it`]
    const cleared = withoutProcesses(state, holder)
    const own = told(candidate, cleared, policy)
    if (own.length > 0) return own.map((words) => `were ${holder} not there, ${name} would be refused as well: ${words}`)
    // What only writes leaves its server where it is, and that would block once more.
    const there = simulate(withoutProcesses(cleared, name), candidate.action, candidate.subject)
    const moved = told(move, there, policy)
    return moved.map((words) => `were ${name} there, ${holder} could not start on its own port: ${words}`)
  })
}

function told(candidate: Candidate, state: HostState, policy: PolicyContext): readonly string[] {
  return unapproved(judgeCandidate(candidate, state, policy).refusals).map(({ code, why }) => `${code}: ${why}`)
}
