import type { Refusal } from '../model/refusal.ts'
import type { HostState } from '../plan/host-state.ts'
import type { Candidate } from '../plan/schedule.ts'
import type { Leave } from './consents.ts'
import { type Judgement, judgeAction } from './judge-action.ts'

/** Before whom the actions of one host are brought. */
export interface Court {
  readonly leave: Leave
  /** By service name: what stands against it from the start. */
  readonly standing: ReadonlyMap<string, readonly Refusal[]>
}

export function judgeCandidate({ action, subject }: Candidate, state: HostState, court: Court): Judgement {
  return judgeAction(action, subject, state, { leave: court.leave, standing: court.standing.get(subject.service.name) ?? [] })
}
