import { ConvergeError } from '../errors/converge-error.ts'
import { converge } from '../lib/next-command.ts'
import type { ApprovedPlan, Plan } from '../model/plan.ts'
import type { Approval } from '../model/playbook.ts'
import type { Refusal } from '../model/refusal.ts'
import { type Approvals, covers, isExpired, originWords } from './approvals.ts'
import { ruleOf } from './refusal-of.ts'

/**
 * The plan as it may be executed. What was refused is not among its actions; this looks at the approvals it was made with.
 *
 * @param leave the same approvals and the same moment as the plan was made with
 * @throws ConvergeError `USAGE.APPROVAL_*` for an approval that names no rule or a rule that none overrules, and for one from the
 *   command line that cannot overrule what it matches, or matches nothing; and for one that has run out
 */
export function approve(plan: Plan, approvals: Approvals): ApprovedPlan {
  checkApprovals(plan, approvals)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where the brand is given
  return plan as ApprovedPlan
}

/** The checks of `approve` alone, for a plan that is only shown. */
export function checkApprovals(plan: Plan, { given, now }: Approvals): void {
  const refusals = plan.hosts.flatMap((host) =>
    [...host.refusals, ...host.consented, ...(host.approvals_unused ?? [])].map((refusal) => ({ refusal, host: host.host })),
  )
  for (const approval of given) {
    checkCode(approval)
    const matched = refusals.filter(({ refusal, host }) => covers(approval, refusal, host)).map(({ refusal }) => refusal)
    checkUse(approval, matched, now)
  }
}

/**
 * Whether an approval names a rule that anybody may overrule.
 *
 * @throws ConvergeError `USAGE.APPROVAL_CODE`, `USAGE.APPROVAL_FORBIDDEN`
 */
export function checkCode(approval: Approval): void {
  const rule = ruleOf(approval.code)
  if (rule?.severity !== 'refuse') {
    throw new ConvergeError('USAGE.APPROVAL_CODE', {
      summary: 'An approval names a code that never refuses.',
      why: `${originWords(approval)} allows ${approval.code}, and ${rule === undefined ? 'no rule has that code' : 'that is a warning, which holds nothing back'}.`,
      next: ['`converge explain` lists all codes.'],
    })
  }
  if (rule.consentable) return
  throw forbidden(approval, `${approval.code} (${rule.title.replace(/\.$/, '')}) is refused whatever anybody says`)
}

function checkUse(approval: Approval, matched: readonly Refusal[], now: string): void {
  // Wherever it stands, and needed or not: an expired approval may be one that nobody remembers giving.
  if (isExpired(approval, now)) throw expired(approval)
  // In a playbook it may wait for the refusal it speaks of: the run after the one that used it would fail otherwise.
  if (!('flag' in approval.origin)) return
  const remaining = matched.filter((refusal) => refusal.consent === undefined)
  const forced = remaining.find((refusal) => !refusal.consentable)
  if (forced !== undefined) throw forbidden(approval, forced.why.replace(/\.$/, ''))
  if (matched.length === 0) throw unused(approval)
}

function forbidden(approval: Approval, because: string): ConvergeError {
  return new ConvergeError('USAGE.APPROVAL_FORBIDDEN', {
    summary: 'This refusal cannot be overruled.',
    why: `${originWords(approval)} allows ${approval.code} for ${approval.service}, but no approval overrules it: ${because}.`,
    next: [converge(['explain', approval.code]), 'Remove the cause, then plan again without this approval.'],
  })
}

function expired(approval: Approval): ConvergeError {
  return new ConvergeError('USAGE.APPROVAL_EXPIRED', {
    summary: 'An approval has expired.',
    why: `${originWords(approval)} allowed ${approval.code} for ${approval.service} until ${approval.until ?? ''} (“${approval.reason}”), and that is over. Nothing was done.`,
    next: [
      converge(['plan'], { say: 'Take the approval out, then look at what is refused:' }),
      'Or approve it again with a new date.',
    ],
  })
}

function unused(approval: Approval): ConvergeError {
  const where = approval.host === undefined ? '' : ` on ${approval.host}`
  return new ConvergeError('USAGE.APPROVAL_UNUSED', {
    summary: 'An --allow matches no refusal.',
    why: `${originWords(approval)} allows ${approval.code} for ${approval.service}${where}, and nothing of that kind is refused in this plan.`,
    next: [converge(['plan'], { say: 'See what is refused:' }), 'Leave the --allow out, or correct its code, service and host.'],
  })
}
