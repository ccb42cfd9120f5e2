import { ConvergeError } from '../errors/converge-error.ts'
import { converge } from '../lib/next-command.ts'
import type { ApprovedPlan, Plan } from '../model/plan.ts'
import type { Consent } from '../model/playbook.ts'
import type { Refusal } from '../model/refusal.ts'
import { type Approvals, covers, isExpired, originWords } from './consents.ts'
import { ruleOf } from './refusal-of.ts'

/**
 * The plan as it may be executed. What was refused is not among its actions; this looks at the consents it was made with.
 *
 * @param leave the same consents and the same moment as the plan was made with
 * @throws ConvergeError `USAGE.CONSENT_*` for a consent that names no rule or a rule that none overrules, and for one from the
 *   command line that cannot overrule what it matches, or matches nothing; and for one that has run out
 */
export function approve(plan: Plan, approvals: Approvals): ApprovedPlan {
  checkConsents(plan, approvals)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where the brand is given
  return plan as ApprovedPlan
}

/** The checks of `approve` alone, for a plan that is only shown. */
export function checkConsents(plan: Plan, { consents, now }: Approvals): void {
  const refusals = plan.hosts.flatMap((host) =>
    [...host.refusals, ...host.consented, ...(host.approvals_unused ?? [])].map((refusal) => ({ refusal, host: host.host })),
  )
  for (const consent of consents) {
    checkCode(consent)
    const matched = refusals.filter(({ refusal, host }) => covers(consent, refusal, host)).map(({ refusal }) => refusal)
    checkUse(consent, matched, now)
  }
}

/**
 * Whether a consent names a rule that anybody may overrule.
 *
 * @throws ConvergeError `USAGE.CONSENT_CODE`, `USAGE.CONSENT_FORBIDDEN`
 */
export function checkCode(consent: Consent): void {
  const rule = ruleOf(consent.code)
  if (rule?.severity !== 'refuse') {
    throw new ConvergeError('USAGE.CONSENT_CODE', {
      summary: 'A consent names a code that never refuses.',
      why: `${originWords(consent)} allows ${consent.code}, and ${rule === undefined ? 'no rule has that code' : 'that is a warning, which holds nothing back'}.`,
      next: ['`converge explain` lists all codes.'],
    })
  }
  if (rule.consentable) return
  throw forbidden(consent, `${consent.code} (${rule.title.replace(/\.$/, '')}) is refused whatever anybody says`)
}

function checkUse(consent: Consent, matched: readonly Refusal[], now: string): void {
  // Wherever it stands, and needed or not: leave that lies about after its day is leave that nobody remembers giving.
  if (isExpired(consent, now)) throw expired(consent)
  // In a playbook it may wait for the refusal it speaks of: the run after the one that used it would fail otherwise.
  if (!('flag' in consent.origin)) return
  const remaining = matched.filter((refusal) => refusal.consent === undefined)
  const forced = remaining.find((refusal) => !refusal.consentable)
  if (forced !== undefined) throw forbidden(consent, forced.why.replace(/\.$/, ''))
  if (matched.length === 0) throw unused(consent)
}

function forbidden(consent: Consent, because: string): ConvergeError {
  return new ConvergeError('USAGE.CONSENT_FORBIDDEN', {
    summary: 'This refusal cannot be overruled.',
    why: `${originWords(consent)} allows ${consent.code} for ${consent.service}, but no consent overrules it: ${because}.`,
    next: [converge(['explain', consent.code]), 'Remove the cause, then plan again without this consent.'],
  })
}

function expired(consent: Consent): ConvergeError {
  return new ConvergeError('USAGE.CONSENT_EXPIRED', {
    summary: 'A consent has expired.',
    why: `${originWords(consent)} allowed ${consent.code} for ${consent.service} until ${consent.until ?? ''} (“${consent.reason}”), and that is over. Nothing was done.`,
    next: [
      converge(['plan'], { say: 'Take the consent out, then look at what is refused:' }),
      'Or give new leave with a new date.',
    ],
  })
}

function unused(consent: Consent): ConvergeError {
  const where = consent.host === undefined ? '' : ` on ${consent.host}`
  return new ConvergeError('USAGE.CONSENT_UNUSED', {
    summary: 'An --allow matches no refusal.',
    why: `${originWords(consent)} allows ${consent.code} for ${consent.service}${where}, and nothing of that kind is refused in this plan.`,
    next: [converge(['plan'], { say: 'See what is refused:' }), 'Leave the --allow out, or correct its code, service and host.'],
  })
}
