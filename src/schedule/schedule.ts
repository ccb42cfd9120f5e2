import { defined } from '../lib/defined.ts'
import { ownMember } from '../lib/own-member.ts'
import type { Action } from '../model/action.ts'
import { lacksKeepAwake } from '../simulate/lacks-keep-awake.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import type { Proposal } from './proposal.ts'

/** An action that waits for its turn. */
export interface Candidate {
  readonly action: Action
  readonly subject: ServiceCase
  /** Ids of the actions that have to be done before it. */
  readonly after: readonly string[]
  /** It can be done also where what it waits for is refused. */
  readonly evenAlone?: true
  /** What it can be taken apart into: a stop for a while, then what a server that is down needs. All of it is done, or nothing. */
  readonly pieces?: readonly Candidate[]
  /** How many actions of its service the pieces take the place of, itself the first of them. */
  readonly covers: number
  /** It may be done in pieces alone, because that is what was agreed on. */
  readonly whole?: false
}

/**
 * The actions of one host in the order in which they are tried: first what only writes, so that the gap between a stop and a
 * start is short; then what frees memory and ports; then starts of what was up before, as after a run that was cut off; then restarts;
 * then other starts; within these the inventory's order.
 *
 * `judgeSchedule` takes the first one that every rule allows, then looks from the front again: so a port is freed before it is
 * taken and a server stopped before another starts, wherever this order puts them. Where that leaves something refused, it looks
 * for another order (`search/`).
 */
export function preferredOrder(
  proposals: readonly { readonly subject: ServiceCase; readonly proposal: Proposal }[],
): readonly Candidate[] {
  const candidates = proposals.flatMap(({ subject, proposal }) => chain(subject, proposal))
  return candidates.toSorted((a, b) => phaseOf(a) - phaseOf(b))
}

/**
 * Of the candidates those that were agreed on before, in the form that was agreed on; undefined: any.
 *
 * @param agreed ids in the order of the plan that was agreed on
 */
export function agreedOn(candidates: readonly Candidate[], agreed: ReadonlySet<string> | undefined): readonly Candidate[] {
  if (agreed === undefined) return candidates
  const order = [...agreed]
  return candidates.flatMap((candidate): readonly Candidate[] => {
    const { pieces, ...rest } = candidate
    if (pieces !== undefined && wereAgreed(pieces, order)) return [{ ...candidate, whole: false }]
    return agreed.has(candidate.action.id) ? [rest] : []
  })
}

/** All of them, one after the other: a write that came before the stop is none of its pieces. */
function wereAgreed(pieces: readonly Candidate[], order: readonly string[]): boolean {
  const places = pieces.map(({ action }) => order.indexOf(action.id))
  return places.every((place, index) => place > (places[index - 1] ?? -1))
}

function chain(subject: ServiceCase, { actions, pieces = {} }: Proposal): readonly Candidate[] {
  const changes = actions.filter((action) => action.kind !== 'noop')
  return changes.map((action, index) => {
    const after = changes.slice(0, index).map((earlier) => earlier.id)
    const parts = pieces[action.id]
    const start = changes.slice(index).findIndex(({ starts }) => starts)
    return {
      action,
      subject,
      after,
      covers: parts === undefined ? 1 : start + 1,
      ...(action.kind === 'host-setting' && lacksKeepAwake(subject) ? { evenAlone: true } : {}),
      ...defined({ pieces: parts?.map((part) => ({ action: part, subject, after, covers: 1 })) }),
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

/** It starts who was up, as after a run that was cut off. */
export function comesBack({ action, subject }: Candidate): boolean {
  return action.starts && !action.interrupts && wasUp(subject)
}

/** Whether it was seen to come up when it was last applied: then nobody else has its place because it is down. */
function wasUp({ facts, service }: ServiceCase): boolean {
  const record = facts.applied.known ? ownMember(facts.applied.value, service.name) : undefined
  return record?.warmup !== undefined && record.wanted['state'] === 'running'
}
