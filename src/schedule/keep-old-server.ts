import type { Refusal } from '../model/refusal.ts'
import { withApproval } from '../policy/approvals.ts'
import type { HostState } from '../simulate/host-state.ts'
import { simulate } from '../simulate/simulate.ts'
import { type Decision, judgeSchedule, type RefusedCandidate } from './judge.ts'
import { judgeCandidate, type PolicyContext, withFirstApprovals } from './judge-candidate.ts'
import type { Candidate } from './schedule.ts'
import type { Budget } from './search/budget.ts'
import { mayAdd } from './search/grow.ts'

/** Actions of one host, and those that are not done in any case: they failed, or were not agreed on. */
export interface ScheduleRequest {
  readonly candidates: readonly Candidate[]
  readonly lost: readonly Candidate[]
}

/**
 * Judges the schedule so that no server is stopped in vain. A stop that only makes room for a start that is not done waits with that start, and
 * the old server keeps serving. A stop that also makes room for a start that is done is kept.
 */
export function judgeKeepingServers(request: ScheduleRequest, start: HostState, policy: PolicyContext, budget: Budget): Decision {
  const { approvals } = policy
  const host = request.candidates[0]?.action.host ?? ''
  const withFirst = (count: number, agreed: ReadonlySet<string>): Decision => {
    const all = count === approvals.given.length
    return judgeKeeping(request, [], {
      start,
      policy: all ? policy : withFirstApprovals(policy, host, count),
      // There may be many approvals, so the rounds before the last share its budget.
      budget: all ? budget : { left: Math.ceil(budget.left / approvals.given.length) },
      agreed,
    })
  }
  // An approval only adds: a stop that is done without it is also done with it, even if the approval then makes the stop vain.
  const unaided = withFirst(0, new Set())
  const decision = approvals.given.reduce((before, approval, index) => {
    const done = new Set(before.done.map(idOf))
    const open = request.candidates.filter(({ action }) => !done.has(action.id))
    return mayAdd(approval, open) ? withFirst(index + 1, done) : before
  }, unaided)
  const overruled = unaided.refused.flatMap(({ candidate, refusals }) =>
    refusals.map((one) => withApproval(one, candidate.action.host, approvals)).filter(({ consent }) => consent !== undefined),
  )
  return { ...decision, approved: [...decision.approved, ...overruled] }
}

function idOf({ action }: Candidate): string {
  return action.id
}

interface Trial {
  readonly start: HostState
  readonly policy: PolicyContext
  readonly budget: Budget
  /** Ids of actions that are done in any case. */
  readonly agreed: ReadonlySet<string>
}

/** Stops that wait together with a start, so that their servers keep running. */
interface PostponedStops {
  readonly begins: Candidate
  /** Each with the actions that wait for it. */
  readonly stops: readonly Candidate[]
  /** The refused action that holds back the start; undefined: the start itself is not done. */
  readonly refused: RefusedCandidate | undefined
  /** Actions that wait for the refused one. */
  readonly behind: readonly Candidate[]
  /** Refusals that an approval would have overruled. */
  readonly approved: readonly Refusal[]
}

/** One stop at a time: a server that keeps running may make another stop necessary after all. */
function judgeKeeping({ candidates, lost }: ScheduleRequest, kept: readonly PostponedStops[], trial: Trial): Decision {
  const { start, policy, budget } = trial
  const decision = judgeSchedule(candidates, start, policy, budget)
  const vain = vainStop(decision, { lost, kept }, trial)
  if (vain === undefined) return withAllKept(decision, kept)
  const { stop, refused, begins, earlier } = vain
  const stops = [...(earlier?.stops ?? []), stop, ...candidates.filter((one) => waitsFor(one, stop))]
  const behind = earlier?.behind ?? (refused === undefined ? [] : candidates.filter((one) => waitsFor(one, refused.candidate)))
  const settled = [...stops, ...behind, ...(refused === undefined ? [] : [refused.candidate])]
  const left = candidates.filter((one) => !settled.includes(one))
  const used = decision.consented.filter(({ actions }) => stops.some(({ action }) => actions.includes(action.id)))
  const approved = [...(earlier?.approved ?? []), ...used]
  const now = [...kept.filter((one) => one !== earlier), { begins, stops, refused, behind, approved }]
  return judgeKeeping({ candidates: left, lost }, now, trial)
}

function withAllKept(decision: Decision, kept: readonly PostponedStops[]): Decision {
  return {
    ...decision,
    refused: [
      ...kept.flatMap(({ refused, stops }) => (refused === undefined ? [] : [withKept(refused, stops)])),
      ...decision.refused,
    ],
    approved: [...decision.approved, ...kept.flatMap(({ approved }) => approved)],
    waiting: [...kept.flatMap(({ stops, behind }) => [...stops, ...behind]), ...decision.waiting],
  }
}

/** A start that is not done. */
interface MissedStart {
  readonly begins: Candidate
  readonly refused: RefusedCandidate | undefined
  /** Stops that already wait with it. Other stops are judged as if these had been done. */
  readonly earlier?: PostponedStops
}

interface VainStop extends MissedStart {
  readonly stop: Candidate
}

/** Stops that use an approval come first: if the approval stays unused, the result is the same as without it. */
function vainStop(
  decision: Decision,
  { lost, kept }: { readonly lost: readonly Candidate[]; readonly kept: readonly PostponedStops[] },
  { start, policy, agreed }: Trial,
): VainStop | undefined {
  const { done, after } = decision
  const missed = [...kept.map((earlier): MissedStart => ({ ...earlier, earlier })), ...missedStarts(decision, lost)]
  const withApprovals = new Set(decision.consented.flatMap(({ actions }) => actions))
  const stops = done.filter((one) => isFinalStop(one) && !agreed.has(one.action.id))
  const usesApproval = ({ action }: Candidate) => withApprovals.has(action.id)
  // Servers whose stops wait count as stopped: other reasons that block the start are no reason to stop another server.
  const waits = kept.flatMap((one) => one.stops)
  const freed = (state: HostState) => replay(waits, undefined, state)
  for (const some of [stops.filter(usesApproval), stops.filter((one) => !usesApproval(one))]) {
    for (const one of missed) {
      for (const stop of some) {
        const states = { withStop: freed(after), without: freed(replay(done, stop, start)) }
        if (helps(one.begins, states, policy) && !isNeeded(stop, decision, start, policy)) return { ...one, stop }
      }
    }
  }
  return undefined
}

/** Starts of servers that do not run. A running server simply keeps running, so it is not missed. */
function missedStarts({ refused, waiting }: Decision, lost: readonly Candidate[]): readonly MissedStart[] {
  const groups = [
    ...refused.map((one) => ({
      refused: one,
      held: [one.candidate, ...waiting.filter((other) => waitsFor(other, one.candidate))],
    })),
    ...lost.map((one) => ({ refused: undefined, held: [one] })),
  ]
  return groups.flatMap(({ refused: one, held }) => {
    const begins = held.find(({ action }) => action.starts && !action.interrupts)
    return begins === undefined ? [] : [{ begins, refused: one }]
  })
}

/** Not the temporary stop of a server that this plan starts again. */
function isFinalStop({ action }: Candidate): boolean {
  return action.interrupts && !action.starts && action.temporary === undefined
}

function waitsFor(one: Candidate, other: Candidate): boolean {
  return one.after.includes(other.action.id)
}

/** Whether another action that is done needs the stop: with the old server still there, it would have more refusals. */
function isNeeded(stop: Candidate, { done }: Decision, start: HostState, policy: PolicyContext): boolean {
  return done.some((candidate, index) => {
    if (candidate === stop || !candidate.action.starts) return false
    const earlier = done.slice(0, index)
    return helps(candidate, { withStop: replay(earlier, undefined, start), without: replay(earlier, stop, start) }, policy)
  })
}

/** Whether a stop removes a refusal of an action. Approvals do not count, because they are given for the action, not for the stop. */
function helps(
  candidate: Candidate,
  states: { readonly withStop: HostState; readonly without: HostState },
  policy: PolicyContext,
): boolean {
  const codes = new Set(judgeCandidate(candidate, states.withStop, policy).refusals.map((one) => one.code))
  return judgeCandidate(candidate, states.without, policy).refusals.some((one) => !codes.has(one.code))
}

function replay(done: readonly Candidate[], without: Candidate | undefined, start: HostState): HostState {
  // Actions that wait for the stop are not done without it.
  const rest = without === undefined ? done : done.filter((one) => one !== without && !waitsFor(one, without))
  return rest.reduce((state, { action, subject }) => simulate(state, action, subject), start)
}

function withKept({ candidate, refusals }: RefusedCandidate, kept: readonly Candidate[]): RefusedCandidate {
  const ids = kept.map((one) => one.action.id)
  return {
    candidate,
    refusals: refusals.map((one) => ({
      ...one,
      actions: [...one.actions, ...ids],
      evidence: [
        ...one.evidence,
        `${ids.join(', ')} ${ids.length === 1 ? 'waits, because it' : 'wait, because they'} would only make room for this action`,
      ],
    })),
  }
}
