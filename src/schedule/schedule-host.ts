import type { ServiceDowntime } from '../model/plan.ts'
import type { Refusal } from '../model/refusal.ts'
import { refusalOf } from '../policy/refusal-of.ts'
import { downtimeExceeded, exceeded } from '../policy/rules/downtime-exceeded.ts'
import type { HostState } from '../simulate/host-state.ts'
import type { Decision } from './judge.ts'
import type { PolicyContext } from './judge-candidate.ts'
import { judgeKeepingServers, type ScheduleRequest } from './keep-old-server.ts'
import { reckonDowntimes } from './reckon-downtimes.ts'
import type { Candidate } from './schedule.ts'
import { explainStops } from './temporary-stops.ts'

/** What will be done on a host, in which order, and who is down meanwhile. */
export interface HostSchedule {
  readonly decision: Decision
  readonly downtimes: readonly ServiceDowntime[]
}

/** Judged actions, about half a second of them; a dozen services that do not all block each other take far fewer. */
const searchBudget = 20_000

/** Nobody is taken down for a while for longer than may be: then another order is looked for, in which he is not. */
export function scheduleHost(request: ScheduleRequest, start: HostState, policy: PolicyContext): HostSchedule {
  return within(request, start, policy, [])
}

function within(request: ScheduleRequest, start: HostState, policy: PolicyContext, barred: readonly Refusal[]): HostSchedule {
  const judged = explainStops(judgeKeepingServers(request, start, policy, { left: searchBudget }), start, policy)
  const { done, downtimes } = reckonDowntimes(judged.done)
  const [refusal] = done.flatMap((candidate) => tooLong(candidate, policy))
  if (refusal === undefined) return { decision: withBarred({ ...judged, done }, barred), downtimes }
  const candidates = request.candidates.map((one) => (one.subject.service.name === refusal.service ? inOneGo(one) : one))
  return within({ ...request, candidates }, start, policy, [...barred, refusal])
}

function tooLong({ action, subject }: Candidate, { maxDowntimeS }: PolicyContext): readonly Refusal[] {
  if (maxDowntimeS === undefined || action.temporary === undefined) return []
  const about = { host: action.host, service: action.service, actions: [] }
  return exceeded(action, subject, maxDowntimeS).map((finding) => refusalOf(downtimeExceeded, finding, about))
}

/** What was agreed on in pieces, and may not be done so any more, cannot be done at all. */
function inOneGo({ pieces: _pieces, ...candidate }: Candidate): Candidate {
  return candidate
}

/** Why a service that blocks others is not taken down for a while; not where it was not needed after all. */
function withBarred(decision: Decision, barred: readonly Refusal[]): Decision {
  const refused = decision.refused.map((one) => {
    const { action } = one.candidate
    const changes = action.interrupts || action.kind === 'install' || action.kind === 'update'
    const more = barred.filter(({ service }) => service === action.service && changes)
    return { ...one, refusals: [...one.refusals, ...more.map((refusal) => ({ ...refusal, actions: [action.id] }))] }
  })
  return { ...decision, refused }
}
