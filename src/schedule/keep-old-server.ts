import type { Refusal } from '../model/refusal.ts'
import { withApproval } from '../policy/approvals.ts'
import type { HostState } from '../simulate/host-state.ts'
import { simulate } from '../simulate/simulate.ts'
import { type Decision, judgeSchedule, type RefusedCandidate } from './judge.ts'
import { judgeCandidate, type PolicyContext, withFirstApprovals } from './judge-candidate.ts'
import type { Candidate } from './schedule.ts'
import type { Budget } from './search/budget.ts'
import { mayAdd } from './search/grow.ts'

/** Actions of one host, and those of them that will not be done whatever is said here: they failed, or nobody agreed to them. */
export interface ScheduleRequest {
  readonly candidates: readonly Candidate[]
  readonly lost: readonly Candidate[]
}

/**
 * Judges the schedule so that no server is stopped in vain: a stop that only makes room for a start that is refused, or will not be done,
 * waits together with it, and the old server goes on serving. A stop that also makes room for a start that is done stays.
 */
export function judgeKeepingServers(request: ScheduleRequest, start: HostState, policy: PolicyContext, budget: Budget): Decision {
  const { approvals } = policy
  const host = request.candidates[0]?.action.host ?? ''
  const under = (count: number, agreed: ReadonlySet<string>): Decision => {
    const all = count === approvals.given.length
    return judgeKeeping(request, [], {
      start,
      policy: all ? policy : withFirstApprovals(policy, host, count),
      // Any number of approvals may be given: the rounds before the last share what it has.
      budget: all ? budget : { left: Math.ceil(budget.left / approvals.given.length) },
      agreed,
    })
  }
  // Leave only adds: a stop that is done without it is done with it, although it may be what it helps to that is refused then.
  const unaided = under(0, new Set())
  const decision = approvals.given.reduce((before, approval, index) => {
    const done = new Set(before.done.map(idOf))
    const open = request.candidates.filter(({ action }) => !done.has(action.id))
    return mayAdd(approval, open) ? under(index + 1, done) : before
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

/** Stops that wait together with a start. */
interface Kept {
  readonly begins: Candidate
  /** Each with what waits for it. */
  readonly stops: readonly Candidate[]
  /** What is refused and takes the start along; undefined: that start is lost. */
  readonly refused: RefusedCandidate | undefined
  /** What waits for that. */
  readonly behind: readonly Candidate[]
  /** What leave would have been used for. */
  readonly approved: readonly Refusal[]
}

/** One stop after the other: who is kept may be reason enough that another one is needed after all. */
function judgeKeeping({ candidates, lost }: ScheduleRequest, kept: readonly Kept[], trial: Trial): Decision {
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

function withAllKept(decision: Decision, kept: readonly Kept[]): Decision {
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
interface Missed {
  readonly begins: Candidate
  readonly refused: RefusedCandidate | undefined
  /** Stops that wait with it already: what else makes room for it is seen as if they had been done. */
  readonly earlier?: Kept
}

interface VainStop extends Missed {
  readonly stop: Candidate
}

/** Those that take leave come first: where it is not used in the end, all is as if nobody had given it. */
function vainStop(
  decision: Decision,
  { lost, kept }: { readonly lost: readonly Candidate[]; readonly kept: readonly Kept[] },
  { start, policy, agreed }: Trial,
): VainStop | undefined {
  const { done, after } = decision
  const missed = [...kept.map((earlier): Missed => ({ ...earlier, earlier })), ...missedStarts(decision, lost)]
  const withLeave = new Set(decision.consented.flatMap(({ actions }) => actions))
  const stops = done.filter((one) => isFinalStop(one) && !agreed.has(one.action.id))
  const takesLeave = ({ action }: Candidate) => withLeave.has(action.id)
  // Whoever waits already is seen as if he had been stopped: what blocks it besides is no reason to stop anybody.
  const waits = kept.flatMap((one) => one.stops)
  const freed = (state: HostState) => replay(waits, undefined, state)
  for (const some of [stops.filter(takesLeave), stops.filter((one) => !takesLeave(one))]) {
    for (const one of missed) {
      for (const stop of some) {
        const states = { withStop: freed(after), without: freed(replay(done, stop, start)) }
        if (helps(one.begins, states, policy) && !isNeeded(stop, decision, start, policy)) return { ...one, stop }
      }
    }
  }
  return undefined
}

/** A server that runs already goes on as it is; only one that does not run leaves nobody in its place. */
function missedStarts({ refused, waiting }: Decision, lost: readonly Candidate[]): readonly Missed[] {
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

/** One that is started again by this plan is part of a restart. */
function isFinalStop({ action }: Candidate): boolean {
  return action.interrupts && !action.starts && action.temporary === undefined
}

function waitsFor(one: Candidate, other: Candidate): boolean {
  return one.after.includes(other.action.id)
}

/** Something else that is done needs it: more would stand against that with the old server still there. */
function isNeeded(stop: Candidate, { done }: Decision, start: HostState, policy: PolicyContext): boolean {
  return done.some((candidate, index) => {
    if (candidate === stop || !candidate.action.starts) return false
    const earlier = done.slice(0, index)
    return helps(candidate, { withStop: replay(earlier, undefined, start), without: replay(earlier, stop, start) }, policy)
  })
}

/** Whether a stop takes away something that would stand against an action. Approvals do not count: they are given for it, not for the stop. */
function helps(
  candidate: Candidate,
  states: { readonly withStop: HostState; readonly without: HostState },
  policy: PolicyContext,
): boolean {
  const codes = new Set(judgeCandidate(candidate, states.withStop, policy).refusals.map((one) => one.code))
  return judgeCandidate(candidate, states.without, policy).refusals.some((one) => !codes.has(one.code))
}

function replay(done: readonly Candidate[], without: Candidate | undefined, start: HostState): HostState {
  // What waits for a stop is not done without it.
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
      evidence: [...one.evidence, `${ids.join(', ')} would only make room for it, and waits`],
    })),
  }
}
