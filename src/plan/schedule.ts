import type { Action } from '../model/action.ts'
import type { Proposal } from './proposal.ts'
import { isMissingNow } from './propose-keep-awake.ts'
import type { ServiceCase } from './service-case.ts'

/** An action that waits for its turn. */
export interface Candidate {
  readonly action: Action
  readonly subject: ServiceCase
  /** Ids of the actions that have to be done before it. */
  readonly after: readonly string[]
  /** It can be done also where what it waits for is refused. */
  readonly evenAlone?: true
}

/**
 * The actions of one host in the order in which they are tried: first what only writes, so that the gap between a stop and a
 * start is short; then what frees memory and ports; then restarts; then starts; within these the inventory's order.
 *
 * `judgeSchedule` takes the first one that every rule allows, then looks from the front again: so a port is freed before it is
 * taken and a server stopped before another starts, wherever this order puts them. That is greedy. A search over all orders, for
 * the case in which an allowed step makes a later one impossible, belongs here.
 */
export function preferredOrder(
  proposals: readonly { readonly subject: ServiceCase; readonly proposal: Proposal }[],
): readonly Candidate[] {
  const candidates = proposals.flatMap(({ subject, proposal }) => chain(subject, proposal.actions))
  return candidates.toSorted((a, b) => phaseOf(a.action) - phaseOf(b.action))
}

function chain(subject: ServiceCase, actions: readonly Action[]): readonly Candidate[] {
  const changes = actions.filter((action) => action.kind !== 'noop')
  return changes.map((action, index) => ({
    action,
    subject,
    after: changes.slice(0, index).map((earlier) => earlier.id),
    ...(action.kind === 'host-setting' && isMissingNow(subject) ? { evenAlone: true } : {}),
  }))
}

function phaseOf(action: Action): number {
  if (!action.interrupts && !action.starts && action.kind !== 'stop' && action.kind !== 'remove') return 0
  if (!action.starts) return 1
  return action.interrupts ? 2 : 3
}
