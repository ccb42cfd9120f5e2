import { globMatches } from '../lib/glob.ts'
import type { Consent } from '../model/playbook.ts'
import type { Refusal } from '../model/refusal.ts'

/** Leave that people gave, and the moment at which it is asked for. */
export interface Leave {
  readonly consents: readonly Consent[]
  /** ISO 8601. */
  readonly now: string
}

/**
 * The refusal with the consent that overrules it, where there is one. A consent that has run out overrules nothing and is named in
 * the evidence.
 */
export function withConsent(refusal: Refusal, host: string, { consents, now }: Leave): Refusal {
  if (!refusal.consentable) return refusal
  const matching = consents.filter((consent) => concerns(consent, refusal, host))
  const live = matching.find((consent) => !isExpired(consent, now))
  if (live !== undefined) {
    const { reason, until } = live
    return { ...refusal, consent: until === undefined ? { reason } : { reason, until } }
  }
  const expired = matching.map((consent) => `the consent at ${originWords(consent)} ran out at ${consent.until ?? ''}`)
  return expired.length === 0 ? refusal : { ...refusal, evidence: [...refusal.evidence, ...expired] }
}

/** Whether a consent speaks of this refusal: code × service glob × host glob. */
export function concerns(consent: Consent, refusal: Refusal, host: string): boolean {
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
