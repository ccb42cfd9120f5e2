import { defined } from '../lib/defined.ts'
import { ownMember } from '../lib/own-member.ts'
import type { Action } from '../model/action.ts'
import { lacksKeepAwake } from '../simulate/lacks-keep-awake.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import type { Proposal } from './proposal.ts'

/** An action to be scheduled. */
export interface Candidate {
  readonly action: Action
  readonly subject: ServiceCase
  /** Ids of the actions that must be done before it. */
  readonly after: readonly string[]
  /** It can be done even if its predecessors are refused. */
  readonly evenAlone?: true
  /** The actions that can replace it: a temporary stop, then what a stopped server needs. All of them are done, or none. */
  readonly splitInto?: readonly Candidate[]
  /** How many actions of its service `splitInto` replaces, counted from this one. */
  readonly covers: number
  /** It may be done only split, because that was agreed on. */
  readonly mustSplit?: true
}

/**
 * The actions of one host in the order in which they are tried. First come writes, so that the gap between a stop and a start is short. Then
 * come actions that free memory and ports, starts of servers that were up before an interrupted run, restarts, and other starts. Within these,
 * the order is that of the inventory.
 *
 * `judgeSchedule` takes the first action that every rule allows, then starts from the front again. So a port is freed before it is taken, and a
 * server is stopped before another starts, wherever this order puts them. If an action is still refused, it searches for another order
 * (`search/`).
 */
export function preferredOrder(
  proposals: readonly { readonly subject: ServiceCase; readonly proposal: Proposal }[],
): readonly Candidate[] {
  const candidates = proposals.flatMap(({ subject, proposal }) => chain(subject, proposal))
  return candidates.toSorted((a, b) => phaseOf(a) - phaseOf(b))
}

/**
 * The candidates that were agreed on before, in the form that was agreed on. Undefined: any.
 *
 * @param agreed ids in the order of the plan that was agreed on
 */
export function agreedOn(candidates: readonly Candidate[], agreed: ReadonlySet<string> | undefined): readonly Candidate[] {
  if (agreed === undefined) return candidates
  const order = [...agreed]
  return candidates.flatMap((candidate): readonly Candidate[] => {
    const { splitInto, ...rest } = candidate
    if (splitInto !== undefined && wereAgreed(splitInto, order)) return [{ ...candidate, mustSplit: true }]
    return agreed.has(candidate.action.id) ? [rest] : []
  })
}

/** All of them, in this order: a write before the stop does not belong to them. */
function wereAgreed(parts: readonly Candidate[], order: readonly string[]): boolean {
  const indices = parts.map(({ action }) => order.indexOf(action.id))
  return indices.every((at, index) => at > (indices[index - 1] ?? -1))
}

function chain(subject: ServiceCase, { actions, splitInto = {} }: Proposal): readonly Candidate[] {
  const changes = actions.filter((action) => action.kind !== 'noop')
  return changes.map((action, index) => {
    const after = changes.slice(0, index).map((earlier) => earlier.id)
    const parts = splitInto[action.id]
    const start = changes.slice(index).findIndex(({ starts }) => starts)
    return {
      action,
      subject,
      after,
      covers: parts === undefined ? 1 : start + 1,
      ...(action.kind === 'host-setting' && lacksKeepAwake(subject) ? { evenAlone: true } : {}),
      ...defined({ splitInto: parts?.map((part) => ({ action: part, subject, after, covers: 1 })) }),
    }
  })
}

function phaseOf(candidate: Candidate): number {
  const { action } = candidate
  if (!action.interrupts && !action.starts && action.kind !== 'stop' && action.kind !== 'remove') return 0
  if (!action.starts) return 1
  if (action.interrupts) return 3
  return comesBack(candidate) ? 2 : 4
}

/** It starts a server that was up before, as after an interrupted run. */
export function comesBack({ action, subject }: Candidate): boolean {
  return action.starts && !action.interrupts && wasUp(subject)
}

/** Whether the server came up when it was last applied: then no other server has its place because it is down. */
function wasUp({ facts, service }: ServiceCase): boolean {
  const record = facts.applied.known ? ownMember(facts.applied.value, service.name) : undefined
  return record?.warmup !== undefined && record.wanted['state'] === 'running'
}
