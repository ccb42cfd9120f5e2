import type { Refusal } from '../model/refusal.ts'
import type { HostState } from '../plan/host-state.ts'
import type { Candidate } from '../plan/schedule.ts'
import type { Leave } from './consents.ts'
import { type Judgement, judgeAction, unconsented } from './judge-action.ts'

/** Before whom the actions of one host are brought. */
export interface Court {
  readonly leave: Leave
  /** By service name: what stands against it from the start. */
  readonly standing: ReadonlyMap<string, readonly Refusal[]>
}

/** What became of every action of a host. */
export interface Verdict {
  /** In the order in which they will be done. */
  readonly done: readonly Candidate[]
  /** Refused, with what they were refused for. */
  readonly refused: readonly RefusedCandidate[]
  /** Not refused themselves: they wait for one that is. */
  readonly waiting: readonly Candidate[]
  readonly consented: readonly Refusal[]
  readonly warnings: readonly Refusal[]
  readonly after: HostState
}

export interface RefusedCandidate {
  readonly candidate: Candidate
  readonly refusals: readonly Refusal[]
}

/**
 * Does, in the simulation, always the first action that every rule allows, until none is left that may be done. A refused action
 * leaves the simulation as it was. Consents are used only where no action can be done without one. What can do without the actions it
 * waited for comes last.
 *
 * @param candidates in the order of `preferredOrder`
 */
export function judgeSchedule(candidates: readonly Candidate[], start: HostState, court: Court): Verdict {
  const inOrder = takeTurns(candidates, start, court)
  const alone = inOrder.open.filter(({ evenAlone }) => evenAlone).map((one) => ({ ...one, after: [] }))
  const late = takeTurns(alone, inOrder.state, court)
  const turns = [...inOrder.turns, ...late.turns]
  const { state } = late
  const open = inOrder.open.filter(({ action }) => !late.turns.some(({ candidate }) => candidate.action.id === action.id))
  const left = withoutMomentary(open)
  const ready = left.filter((one) => isReady(one, left))
  return {
    done: turns.map((turn) => turn.candidate),
    refused: ready.map((candidate) => refuse(candidate, left, judgeCandidate(candidate, state, court))),
    waiting: left.filter((one) => !ready.includes(one)),
    consented: turns.flatMap((turn) => turn.judgement.refusals),
    warnings: turns.flatMap((turn) => turn.judgement.warnings),
    after: state,
  }
}

/** Nobody asked for these by themselves, so nobody is told that they were refused. */
function withoutMomentary(open: readonly Candidate[]): readonly Candidate[] {
  const dropped = new Set(open.filter((one) => one.action.momentary === true && isReady(one, open)).map((one) => one.action.id))
  return open.filter((one) => !dropped.has(one.action.id) && !one.after.some((id) => dropped.has(id)))
}

/** What can be done from here on, the host as it is then, and what is left open. */
function takeTurns(candidates: readonly Candidate[], start: HostState, court: Court) {
  let state = start
  let open = candidates
  const turns: Turn[] = []
  for (let turn = nextTurn(open, state, court); turn !== undefined; turn = nextTurn(open, state, court)) {
    const { candidate, judgement } = turn
    turns.push(turn)
    state = judgement.after
    open = open.filter((one) => one !== candidate)
  }
  return { turns, state, open }
}

interface Turn {
  readonly candidate: Candidate
  readonly judgement: Judgement
}

function nextTurn(open: readonly Candidate[], state: HostState, court: Court): Turn | undefined {
  let consented: Turn | undefined
  for (const candidate of open) {
    if (!isReady(candidate, open)) continue
    const judgement = judgeCandidate(candidate, state, court)
    if (judgement.refusals.length === 0) return { candidate, judgement }
    if (unconsented(judgement.refusals).length === 0) consented ??= { candidate, judgement }
  }
  return consented
}

export function judgeCandidate({ action, subject }: Candidate, state: HostState, court: Court): Judgement {
  return judgeAction(action, subject, state, { leave: court.leave, standing: court.standing.get(subject.service.name) ?? [] })
}

function isReady(candidate: Candidate, open: readonly Candidate[]): boolean {
  return !open.some((other) => candidate.after.includes(other.action.id))
}

/** A refusal holds back its action and whatever waits for that. */
function refuse(candidate: Candidate, open: readonly Candidate[], judgement: Judgement): RefusedCandidate {
  const dependants = open.filter((other) => other.after.includes(candidate.action.id)).map((other) => other.action.id)
  const refusals = unconsented(judgement.refusals)
  return { candidate, refusals: refusals.map((one) => ({ ...one, actions: [...one.actions, ...dependants] })) }
}
