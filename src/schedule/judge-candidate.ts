import type { Refusal } from '../model/refusal.ts'
import { type Approvals, approvalsNeeded } from '../policy/approvals.ts'
import { type Judgement, judgeAction } from '../policy/judge-action.ts'
import type { HostState } from '../simulate/host-state.ts'
import type { Candidate } from './schedule.ts'

/** What every judgement of a host shares. */
export interface PolicyContext {
  readonly approvals: Approvals
  /** Refusals of the service itself, by its name. */
  readonly violations: ReadonlyMap<string, readonly Refusal[]>
  /** The longest downtime allowed for a running service; absent: no limit. */
  readonly maxDowntimeS?: number
}

export function judgeCandidate({ action, subject }: Candidate, state: HostState, policy: PolicyContext): Judgement {
  const { approvals, violations, maxDowntimeS } = policy
  return judgeAction(action, subject, state, { approvals, violations: violations.get(subject.service.name) ?? [], maxDowntimeS })
}

/** The policy with only the first approvals. */
export function withFirstApprovals(policy: PolicyContext, host: string, count: number): PolicyContext {
  const approvals: Approvals = { ...policy.approvals, given: policy.approvals.given.slice(0, count) }
  const limited = ({ consent, ...refusal }: Refusal): Refusal =>
    consent === undefined || approvalsNeeded([{ ...refusal, consent }], host, approvals) === undefined
      ? refusal
      : { ...refusal, consent }
  const violations = [...policy.violations].map(([service, refusals]) => [service, refusals.map(limited)] as const)
  return { ...policy, approvals, violations: new Map(violations) }
}
