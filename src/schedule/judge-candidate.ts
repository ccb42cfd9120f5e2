import type { Refusal } from '../model/refusal.ts'
import { consentsEnough, type Leave } from '../policy/consents.ts'
import { type Judgement, judgeAction } from '../policy/judge-action.ts'
import type { HostState } from '../simulate/host-state.ts'
import type { Candidate } from './schedule.ts'

/** Before whom the actions of one host are brought. */
export interface Court {
  readonly leave: Leave
  /** By service name: what stands against it from the start. */
  readonly standing: ReadonlyMap<string, readonly Refusal[]>
  /** For how long a running service may be down at most; absent: that does not matter. */
  readonly maxDowntimeS?: number
}

export function judgeCandidate({ action, subject }: Candidate, state: HostState, court: Court): Judgement {
  const { leave, standing, maxDowntimeS } = court
  return judgeAction(action, subject, state, { leave, standing: standing.get(subject.service.name) ?? [], maxDowntimeS })
}

/** As if people had given the first so many consents alone. */
export function withFirstConsents(court: Court, host: string, count: number): Court {
  const leave = { ...court.leave, consents: court.leave.consents.slice(0, count) }
  const under = ({ consent, ...refusal }: Refusal): Refusal =>
    consent === undefined || consentsEnough([{ ...refusal, consent }], host, leave) === undefined
      ? refusal
      : { ...refusal, consent }
  const standing = [...court.standing].map(([service, refusals]) => [service, refusals.map(under)] as const)
  return { ...court, leave, standing: new Map(standing) }
}
