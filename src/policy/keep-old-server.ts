import type { HostState } from '../plan/host-state.ts'
import type { Candidate } from '../plan/schedule.ts'
import type { Budget } from '../plan/search/budget.ts'
import { simulate } from '../plan/simulate.ts'
import { judgeSchedule, type RefusedCandidate, type Verdict } from './judge.ts'
import { type Court, judgeCandidate } from './judge-candidate.ts'

/** Actions of one host, and those of them that will not be done whatever is said here: they failed, or nobody agreed to them. */
export interface Docket {
  readonly candidates: readonly Candidate[]
  readonly lost: readonly Candidate[]
}

/**
 * Judges the schedule so that no server is stopped in vain: a stop that only makes room for a start that is refused, or will not be done,
 * waits together with it, and the old server goes on serving. A stop that also makes room for a start that is done stays.
 */
export function judgeKeepingServers({ candidates, lost }: Docket, start: HostState, court: Court, budget: Budget): Verdict {
  const verdict = judgeSchedule(candidates, start, court, budget)
  const vain = vainStop(verdict, lost, start, court)
  if (vain === undefined) return verdict
  const { stop, refused } = vain
  const kept = [stop, ...candidates.filter((one) => waitsFor(one, stop))]
  const behind =
    refused === undefined ? [] : candidates.filter((one) => one === refused.candidate || waitsFor(one, refused.candidate))
  const settled = [...kept, ...behind]
  const left = candidates.filter((one) => !settled.includes(one))
  const rest = judgeKeepingServers({ candidates: left, lost }, start, court, budget)
  return {
    ...rest,
    refused: [...(refused === undefined ? [] : [withKept(refused, kept)]), ...rest.refused],
    waiting: [...settled.filter((one) => one !== refused?.candidate), ...rest.waiting],
  }
}

interface VainStop {
  readonly stop: Candidate
  /** What is refused and takes the start along that the stop would have made room for; undefined: that start is lost. */
  readonly refused: RefusedCandidate | undefined
}

function vainStop(verdict: Verdict, lost: readonly Candidate[], start: HostState, court: Court): VainStop | undefined {
  const { done, waiting, after } = verdict
  const groups = [
    ...verdict.refused.map((refused) => ({
      refused,
      held: [refused.candidate, ...waiting.filter((one) => waitsFor(one, refused.candidate))],
    })),
    ...lost.map((one) => ({ refused: undefined, held: [one] })),
  ]
  for (const { refused, held } of groups) {
    // A server that runs already goes on as it is; only one that does not run leaves nobody in its place.
    const begins = held.find(({ action }) => action.starts && !action.interrupts)
    if (begins === undefined) continue
    for (const stop of done.filter(isFinalStop)) {
      const makesRoom = helps(begins, { withStop: after, without: replay(done, stop, start) }, court)
      if (makesRoom && !isNeeded(stop, verdict, start, court)) return { stop, refused }
    }
  }
  return undefined
}

/** One that is started again by this plan is part of a restart. */
function isFinalStop({ action }: Candidate): boolean {
  return action.interrupts && !action.starts && action.temporary === undefined
}

function waitsFor(one: Candidate, other: Candidate): boolean {
  return one.after.includes(other.action.id)
}

/** Something else that is done needs it: more would stand against that with the old server still there. */
function isNeeded(stop: Candidate, { done }: Verdict, start: HostState, court: Court): boolean {
  return done.some((candidate, index) => {
    if (candidate === stop || !candidate.action.starts) return false
    const earlier = done.slice(0, index)
    return helps(candidate, { withStop: replay(earlier, undefined, start), without: replay(earlier, stop, start) }, court)
  })
}

/** Whether a stop takes away something that would stand against an action. Consents do not count: they are given for it, not for the stop. */
function helps(
  candidate: Candidate,
  states: { readonly withStop: HostState; readonly without: HostState },
  court: Court,
): boolean {
  const codes = new Set(judgeCandidate(candidate, states.withStop, court).refusals.map((one) => one.code))
  return judgeCandidate(candidate, states.without, court).refusals.some((one) => !codes.has(one.code))
}

function replay(done: readonly Candidate[], without: Candidate | undefined, start: HostState): HostState {
  return done.filter((one) => one !== without).reduce((state, { action, subject }) => simulate(state, action, subject), start)
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
