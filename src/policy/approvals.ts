import { globMatches } from '../lib/glob.ts'
import type { Approval } from '../model/playbook.ts'
import type { Refusal } from '../model/refusal.ts'

/** The approvals given, and the time at which they must be valid. */
export interface Approvals {
  readonly given: readonly Approval[]
  /** ISO 8601. */
  readonly now: string
  /** Other hosts that they may be for are in other shards; absent: the plan has all of them. */
  readonly elsewhere?: boolean
}

/** The refusal with the approval that overrules it, if there is one. An approval that has expired is added to the evidence. */
export function withApproval(refusal: Refusal, host: string, { given, now }: Approvals): Refusal {
  if (!refusal.consentable) return refusal
  const matching = given.filter((approval) => covers(approval, refusal, host))
  const live = matching.find((approval) => !isExpired(approval, now))
  if (live !== undefined) {
    const { reason, until } = live
    return { ...refusal, consent: until === undefined ? { reason } : { reason, until } }
  }
  const expired = matching.map((approval) => `the approval at ${originWords(approval)} expired at ${approval.until ?? ''}`)
  return expired.length === 0 ? refusal : { ...refusal, evidence: [...refusal.evidence, ...expired] }
}

/**
 * How many approvals, counted from the first, are needed to overrule all of these refusals of a host. Undefined: not even all of them do.
 *
 * @param refusals as `withApproval` returned them for the same approvals, or for more
 */
export function approvalsNeeded(refusals: readonly Refusal[], host: string, { given, now }: Approvals): number | undefined {
  const firsts = refusals.map((refusal) =>
    refusal.consent === undefined ? -1 : given.findIndex((one) => covers(one, refusal, host) && !isExpired(one, now)),
  )
  return firsts.includes(-1) ? undefined : Math.max(0, ...firsts.map((index) => index + 1))
}

/** Whether an approval covers this refusal: code × service glob × host glob. */
export function covers(approval: Approval, refusal: Refusal, host: string): boolean {
  if (approval.code !== refusal.code || !globMatches(approval.service, refusal.service ?? '')) return false
  return approval.host === undefined || globMatches(approval.host, host)
}

/** An approval with an unreadable date has expired. */
export function isExpired(approval: Approval, now: string): boolean {
  return approval.until !== undefined && !(Date.parse(approval.until) > Date.parse(now))
}

export function originWords({ origin }: Approval): string {
  return 'flag' in origin ? origin.flag : `${origin.file}:${origin.line}`
}
