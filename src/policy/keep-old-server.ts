import type { HostState } from '../plan/host-state.ts'
import type { Candidate } from '../plan/schedule.ts'
import { simulate } from '../plan/simulate.ts'
import { type Court, judgeCandidate, judgeSchedule, type RefusedCandidate, type Verdict } from './judge.ts'
import { unconsented } from './judge-action.ts'

/**
 * Judges the schedule so that no server is stopped in vain: a stop that only makes room for a start that is refused waits together
 * with it, and the old server goes on serving. A stop that also makes room for a start that is done stays.
 */
export function judgeKeepingServers(candidates: readonly Candidate[], start: HostState, court: Court): Verdict {
  const verdict = judgeSchedule(candidates, start, court)
  const vain = vainStop(verdict, start, court)
  if (vain === undefined) return verdict
  const kept = [vain.stop, ...candidates.filter((one) => one.after.includes(vain.stop.action.id))]
  const settled = [
    ...kept,
    vain.start.candidate,
    ...candidates.filter((one) => one.after.includes(vain.start.candidate.action.id)),
  ]
  const rest = judgeKeepingServers(
    candidates.filter((one) => !settled.includes(one)),
    start,
    court,
  )
  return {
    ...rest,
    refused: [withKept(vain.start, kept), ...rest.refused],
    waiting: [...settled.filter((one) => one !== vain.start.candidate), ...rest.waiting],
  }
}

interface VainStop {
  readonly stop: Candidate
  readonly start: RefusedCandidate
}

function vainStop(verdict: Verdict, start: HostState, court: Court): VainStop | undefined {
  for (const refused of verdict.refused.filter(({ candidate }) => candidate.action.starts)) {
    for (const stop of verdict.done.filter(({ action }) => action.interrupts && !action.starts)) {
      if (makesRoom(stop, refused, verdict, start, court) && !isNeeded(stop, verdict, start, court))
        return { stop, start: refused }
    }
  }
  return undefined
}

/** With the old server still there, more would stand against the start. */
function makesRoom(stop: Candidate, refused: RefusedCandidate, verdict: Verdict, start: HostState, court: Court): boolean {
  const { candidate } = refused
  if (candidate.subject.service.name === stop.subject.service.name) return false
  const codes = new Set(refused.refusals.map((one) => one.code))
  const state = replay(verdict.done, stop, start)
  return judgeCandidate(candidate, state, court).refusals.some((one) => !codes.has(one.code))
}

/** Something else that is done would be refused with the old server still there. */
function isNeeded(stop: Candidate, { done }: Verdict, start: HostState, court: Court): boolean {
  return done.some((candidate, index) => {
    if (candidate === stop || !candidate.action.starts) return false
    const state = replay(done.slice(0, index), stop, start)
    return unconsented(judgeCandidate(candidate, state, court).refusals).length > 0
  })
}

function replay(done: readonly Candidate[], without: Candidate, start: HostState): HostState {
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
