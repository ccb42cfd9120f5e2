import { ConvergeError } from '../errors/converge-error.ts'
import { converge } from '../lib/next-command.ts'
import type { ApprovedPlan, Plan } from '../model/plan.ts'
import type { Approval } from '../model/playbook.ts'
import type { Refusal } from '../model/refusal.ts'
import { type Approvals, covers, isExpired, originWords } from './approvals.ts'
import { ruleOf } from './refusal-of.ts'

/**
 * The plan, approved for execution. Refused actions are not in it; this checks the approvals that it was made with.
 *
 * @param approvals the same approvals and time that the plan was made with
 * @throws ConvergeError `USAGE.APPROVAL_*` for an approval that has expired, or that names no rule or a rule without approvals; also for one
 *   from the command line that matches nothing, or that matches a refusal without approvals
 */
export function approve(plan: Plan, approvals: Approvals): ApprovedPlan {
  checkApprovals(plan, approvals)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where the brand is given
  return plan as ApprovedPlan
}

/** Only the checks of `approve`, for a plan that is displayed but not executed. */
export function checkApprovals(plan: Plan, { given, now, elsewhere = false }: Approvals): void {
  const refusals = plan.hosts.flatMap((host) =>
    [...host.refusals, ...host.consented, ...(host.approvals_unused ?? [])].map((refusal) => ({ refusal, host: host.host })),
  )
  for (const approval of given) {
    checkCode(approval)
    const matched = refusals.filter(({ refusal, host }) => covers(approval, refusal, host)).map(({ refusal }) => refusal)
    checkUse(approval, matched, { now, elsewhere })
  }
}

/**
 * Checks that the rule an approval names can be overruled.
 *
 * @throws ConvergeError `USAGE.APPROVAL_CODE`, `USAGE.APPROVAL_FORBIDDEN`
 */
export function checkCode(approval: Approval): void {
  const rule = ruleOf(approval.code)
  if (rule?.severity !== 'refuse') {
    throw new ConvergeError('USAGE.APPROVAL_CODE', {
      summary: 'An approval names a code that never refuses.',
      why: `${originWords(approval)} allows ${approval.code}, but ${rule === undefined ? 'no rule has that code' : 'that code is a warning and refuses nothing'}.`,
      next: ['`converge explain` lists all codes.'],
    })
  }
  if (rule.consentable) return
  throw forbidden(approval, `${approval.code} (${rule.title.replace(/\.$/, '')}) is always refused`)
}

function checkUse(
  approval: Approval,
  matched: readonly Refusal[],
  { now, elsewhere }: { readonly now: string; readonly elsewhere: boolean },
): void {
  // In a playbook too, and even if it is not needed: people forget approvals that they gave long ago.
  if (isExpired(approval, now)) throw expired(approval)
  // In a playbook an unused approval is fine: otherwise the run after the one that used it would fail.
  if (!('flag' in approval.origin)) return
  const remaining = matched.filter((refusal) => refusal.consent === undefined)
  const forced = remaining.find((refusal) => !refusal.consentable)
  if (forced !== undefined) throw forbidden(approval, forced.why.replace(/\.$/, ''))
  if (matched.length === 0 && !elsewhere) throw unused(approval)
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
    why: `${originWords(approval)} allowed ${approval.code} for ${approval.service} until ${approval.until ?? ''} (“${approval.reason}”). That date has passed; nothing was done.`,
    next: [converge(['plan'], { say: 'Remove the approval, then see what is refused:' }), 'Or approve it again with a new date.'],
  })
}

function unused(approval: Approval): ConvergeError {
  const where = approval.host === undefined ? '' : ` on ${approval.host}`
  return new ConvergeError('USAGE.APPROVAL_UNUSED', {
    summary: 'An --allow matches no refusal.',
    why: `${originWords(approval)} allows ${approval.code} for ${approval.service}${where}, but this plan refuses nothing that matches.`,
    next: ['Without it, the same command shows what is refused.', 'Remove the --allow, or correct its code, service or host.'],
  })
}
