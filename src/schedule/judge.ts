import type { Refusal } from '../model/refusal.ts'
import { type Judgement, unapproved } from '../policy/judge-action.ts'
import type { HostState } from '../simulate/host-state.ts'
import { simulate } from '../simulate/simulate.ts'
import { conflictWords } from './conflict-words.ts'
import { judgeCandidate, type PolicyContext } from './judge-candidate.ts'
import { keptPortWords } from './kept-port-words.ts'
import type { Candidate } from './schedule.ts'
import type { Budget } from './search/budget.ts'
import { firstBarred, refusalsAlone } from './search/caps.ts'
import { growSchedule } from './search/grow.ts'
import { queuesOf, type SearchProblem } from './search/search.ts'

/** Which actions of a host are done, refused or waiting. */
export interface Decision {
  /** In order of execution; some are split. */
  readonly done: readonly Candidate[]
  /** With their refusals. */
  readonly refused: readonly RefusedCandidate[]
  /** Not refused themselves, but waiting for a refused one. */
  readonly waiting: readonly Candidate[]
  readonly consented: readonly Refusal[]
  /** Refusals that an approval overrules, of actions that something else holds back. */
  readonly approved: readonly Refusal[]
  readonly warnings: readonly Refusal[]
  readonly after: HostState
}

export interface RefusedCandidate {
  readonly candidate: Candidate
  readonly refusals: readonly Refusal[]
}

/**
 * Simulates each action at a point where every rule allows it (`growSchedule`). A refused action does not change the simulation. Actions that
 * do not need what they waited for come last.
 *
 * @param candidates in the order of `preferredOrder`
 */
export function judgeSchedule(
  candidates: readonly Candidate[],
  start: HostState,
  policy: PolicyContext,
  budget: Budget,
): Decision {
  const problem = { queues: queuesOf(candidates), start, policy, budget }
  const { moves, goals, queues, cut } = growSchedule(problem)
  const inOrder = inTurn(
    moves.map(({ candidate }) => candidate),
    start,
    policy,
  )
  const reached = problem.queues.flatMap(({ steps }, index) => steps.slice(0, goals[index]).map(({ action }) => action.id))
  const open = candidates.filter(({ action }) => !reached.includes(action.id))
  const late = evenAlone(open, inOrder.state, policy)
  const left = withoutLoadThenStop(open.filter((one) => !late.turns.some(({ candidate }) => candidate === one)))
  const ready = left.filter((one) => isReady(one, left))
  const anyway = ready.flatMap((one) => refusedAnyway(problem, one, left))
  const turns = [...inOrder.turns, ...late.turns]
  return {
    done: turns.map((turn) => turn.candidate),
    refused: [
      ...ready.map((candidate) => refuse(candidate, left, { problem: { ...problem, queues }, cut, state: late.state })),
      ...anyway,
    ],
    waiting: left.filter((one) => !ready.includes(one) && !anyway.some(({ candidate }) => candidate === one)),
    consented: turns.flatMap((turn) => turn.judgement.refusals),
    approved: policy.approvals.given.length === 0 ? [] : ready.flatMap((one) => approvedOf(problem, one, late.state)),
    warnings: turns.flatMap((turn) => turn.judgement.warnings),
    after: late.state,
  }
}

interface Turn {
  readonly candidate: Candidate
  readonly judgement: Judgement
}

interface Turns {
  readonly turns: readonly Turn[]
  readonly state: HostState
}

function inTurn(candidates: readonly Candidate[], start: HostState, policy: PolicyContext): Turns {
  let state = start
  const turns = candidates.map((candidate): Turn => {
    const judgement = judgeCandidate(candidate, state, policy)
    state = simulate(state, candidate.action, candidate.subject)
    return { candidate, judgement }
  })
  return { turns, state }
}

/** The actions that are allowed now although their predecessors were not done. */
function evenAlone(open: readonly Candidate[], start: HostState, policy: PolicyContext): Turns {
  const allowed = open.filter(
    (one) => one.evenAlone === true && unapproved(judgeCandidate(one, start, policy).refusals).length === 0,
  )
  return inTurn(allowed, start, policy)
}

/** Without load-then-stop actions: the inventory does not ask for them, so their refusals are not reported. */
function withoutLoadThenStop(open: readonly Candidate[]): readonly Candidate[] {
  const dropped = new Set(open.filter((one) => one.action.momentary === true && isReady(one, open)).map((one) => one.action.id))
  return open.filter((one) => !dropped.has(one.action.id) && !one.after.some((id) => dropped.has(id)))
}

function isReady(candidate: Candidate, open: readonly Candidate[]): boolean {
  return !open.some((other) => candidate.after.includes(other.action.id))
}

/** A refusal also holds back the actions that wait for the refused one. */
function refuse(
  candidate: Candidate,
  open: readonly Candidate[],
  { problem, cut, state }: { readonly problem: SearchProblem; readonly cut: boolean; readonly state: HostState },
): RefusedCandidate {
  const dependants = open.filter((other) => other.after.includes(candidate.action.id)).map((other) => other.action.id)
  const { policy } = problem
  const evidence = conflictWords(problem, candidate, cut)
  const refusals = unapproved(judgeCandidate(candidate, state, policy).refusals).map((one) => ({
    ...one,
    actions: [...one.actions, ...dependants],
    evidence: [...one.evidence, ...keptPortWords(one, candidate, { open, state, policy }), ...evidence],
  }))
  return { candidate, refusals }
}

/** Refusals that an approval overrules: now, or if the service were alone on its host. */
function approvedOf(problem: SearchProblem, candidate: Candidate, state: HostState): readonly Refusal[] {
  const now = judgeCandidate(candidate, state, problem.policy).refusals
  const alone = refusalsAlone(problem, candidate.subject.service.name)
  return [...now, ...alone].filter(({ consent }) => consent !== undefined)
}

/** A successor of a blocked action that would be refused even if the service were alone on its host: it is reported too. */
function refusedAnyway(problem: SearchProblem, candidate: Candidate, left: readonly Candidate[]): readonly RefusedCandidate[] {
  const barred = firstBarred(problem, candidate.subject.service.name)
  if (barred === undefined || barred.candidate === candidate || !left.includes(barred.candidate)) return []
  return [{ candidate: barred.candidate, refusals: unapproved(barred.judgement.refusals) }]
}
