import type { Refusal } from '../model/refusal.ts'
import { type Approvals, approvalsNeeded } from '../policy/approvals.ts'
import { type Judgement, judgeAction } from '../policy/judge-action.ts'
import type { HostState } from '../simulate/host-state.ts'
import type { Candidate } from './schedule.ts'

/** Before whom the actions of one host are brought. */
export interface PolicyContext {
  readonly approvals: Approvals
  /** By service name: what stands against it from the start. */
  readonly violations: ReadonlyMap<string, readonly Refusal[]>
  /** For how long a running service may be down at most; absent: that does not matter. */
  readonly maxDowntimeS?: number
}

export function judgeCandidate({ action, subject }: Candidate, state: HostState, policy: PolicyContext): Judgement {
  const { approvals, violations, maxDowntimeS } = policy
  return judgeAction(action, subject, state, { approvals, violations: violations.get(subject.service.name) ?? [], maxDowntimeS })
}

/** As if people had given the first so many approvals alone. */
export function withFirstApprovals(policy: PolicyContext, host: string, count: number): PolicyContext {
  const approvals: Approvals = { ...policy.approvals, given: policy.approvals.given.slice(0, count) }
  const under = ({ consent, ...refusal }: Refusal): Refusal =>
    consent === undefined || approvalsNeeded([{ ...refusal, consent }], host, approvals) === undefined
      ? refusal
      : { ...refusal, consent }
  const violations = [...policy.violations].map(([service, refusals]) => [service, refusals.map(under)] as const)
  return { ...policy, approvals, violations: new Map(violations) }
}
