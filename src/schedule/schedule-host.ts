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

/** What will be done on a host, in order, and which services are down meanwhile. */
export interface HostSchedule {
  readonly decision: Decision
  readonly downtimes: readonly ServiceDowntime[]
}

/** Judged actions, about half a second. A dozen services that do not all block each other need far fewer. */
const searchBudget = 20_000

/** Schedules so that no temporary stop exceeds --max-downtime: if one does, the search tries again without splitting that service's actions. */
export function scheduleHost(request: ScheduleRequest, start: HostState, policy: PolicyContext): HostSchedule {
  return within(request, start, policy, [])
}

function within(request: ScheduleRequest, start: HostState, policy: PolicyContext, barred: readonly Refusal[]): HostSchedule {
  const judged = explainStops(judgeKeepingServers(request, start, policy, { left: searchBudget }), start, policy)
  const { done, downtimes } = reckonDowntimes(judged.done)
  const [refusal] = done.flatMap((candidate) => tooLong(candidate, policy))
  if (refusal === undefined) return { decision: withBarred({ ...judged, done }, barred), downtimes }
  const candidates = request.candidates.map((one) => (one.subject.service.name === refusal.service ? unsplit(one) : one))
  return within({ ...request, candidates }, start, policy, [...barred, refusal])
}

function tooLong({ action, subject }: Candidate, { maxDowntimeS }: PolicyContext): readonly Refusal[] {
  if (maxDowntimeS === undefined || action.temporary === undefined) return []
  const about = { host: action.host, service: action.service, actions: [] }
  return exceeded(action, subject, maxDowntimeS).map((finding) => refusalOf(downtimeExceeded, finding, about))
}

/** An action that must be split cannot be done at all without that. */
function unsplit({ splitInto: _splitInto, ...candidate }: Candidate): Candidate {
  return candidate
}

/** Explains why a blocking service is not stopped temporarily, if one of its actions is refused. */
function withBarred(decision: Decision, barred: readonly Refusal[]): Decision {
  const refused = decision.refused.map((one) => {
    const { action } = one.candidate
    const changes = action.interrupts || action.kind === 'install' || action.kind === 'update'
    const more = barred.filter(({ service }) => service === action.service && changes)
    return { ...one, refusals: [...one.refusals, ...more.map((refusal) => ({ ...refusal, actions: [action.id] }))] }
  })
  return { ...decision, refused }
}
