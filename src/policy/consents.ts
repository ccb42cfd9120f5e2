import { globMatches } from '../lib/glob.ts'
import type { Consent } from '../model/playbook.ts'
import type { Refusal } from '../model/refusal.ts'

/** Leave that people gave, and the moment at which it is asked for. */
export interface Approvals {
  readonly consents: readonly Consent[]
  /** ISO 8601. */
  readonly now: string
}

/**
 * The refusal with the consent that overrules it, where there is one. A consent that has run out overrules nothing and is named in
 * the evidence.
 */
export function withConsent(refusal: Refusal, host: string, { consents, now }: Approvals): Refusal {
  if (!refusal.consentable) return refusal
  const matching = consents.filter((consent) => covers(consent, refusal, host))
  const live = matching.find((consent) => !isExpired(consent, now))
  if (live !== undefined) {
    const { reason, until } = live
    return { ...refusal, consent: until === undefined ? { reason } : { reason, until } }
  }
  const expired = matching.map((consent) => `the consent at ${originWords(consent)} ran out at ${consent.until ?? ''}`)
  return expired.length === 0 ? refusal : { ...refusal, evidence: [...refusal.evidence, ...expired] }
}

/**
 * How many of the consents, from the first one on, overrule all of these refusals of a host; undefined: all of them together do not.
 *
 * @param refusals as `withConsent` left them with the same leave, or with more
 */
export function consentsEnough(refusals: readonly Refusal[], host: string, { consents, now }: Approvals): number | undefined {
  const firsts = refusals.map((refusal) =>
    refusal.consent === undefined ? -1 : consents.findIndex((one) => covers(one, refusal, host) && !isExpired(one, now)),
  )
  return firsts.includes(-1) ? undefined : Math.max(0, ...firsts.map((index) => index + 1))
}

/** Whether a consent speaks of this refusal: code × service glob × host glob. */
export function covers(consent: Consent, refusal: Refusal, host: string): boolean {
  if (consent.code !== refusal.code || !globMatches(consent.service, refusal.service ?? '')) return false
  return consent.host === undefined || globMatches(consent.host, host)
}

/** A date that cannot be read gives no leave. */
export function isExpired(consent: Consent, now: string): boolean {
  return consent.until !== undefined && !(Date.parse(consent.until) > Date.parse(now))
}

export function originWords({ origin }: Consent): string {
  return 'flag' in origin ? origin.flag : `${origin.file}:${origin.line}`
}
