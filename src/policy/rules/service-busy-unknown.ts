import { ownMember } from '../../lib/own-member.ts'
import type { HttpFact } from '../../model/http-fact.ts'
import type { Observed } from '../../model/observed.ts'
import { restartsCheaply } from '../../servers/traits.ts'
import type { Rule } from '../rule.ts'
import { gerunds } from '../words.ts'
import { cutOffBy } from './service-busy.ts'

export const serviceBusyUnknown: Rule = {
  code: 'SERVICE.BUSY_UNKNOWN',
  severity: 'warn',
  title: 'Whether the server is busy is unknown.',
  explain:
    'The requests of this Kind A could not be counted: its key is about to change, or its build does not report them. The action is not refused ' +
    'for that, because a Kind A may be restarted freely. A client that waits for an answer at that moment gets an error or an incomplete answer. ' +
    'If that matters, choose a quiet hour.',
  consentable: false,
  checkAction(context) {
    const { action, service, host, before, facts } = context
    if (!restartsCheaply(service.kind) || !action.interrupts || ownMember(before.services, service.name)?.running !== true)
      return []
    const why = whyUnknown(ownMember(facts.http, service.name))
    if (why === undefined || cutOffBy(context) !== undefined) return []
    return [
      {
        why: `${service.name} on ${host.name} may be working on a request. ${gerunds[action.kind]} it would cut that off.`,
        evidence: [`requests in progress: unknown (${why})`],
        next: ['If that matters, apply when the server is not in use.'],
      },
    ]
  },
}

/** Why the number of requests is unknown; undefined: it is known, or the server is still loading and so has none. */
function whyUnknown(http: Observed<HttpFact> | undefined): string | undefined {
  if (http === undefined) return 'not queried'
  if (!http.known) return http.detail ?? http.because
  if (http.value.health.status === 503 || http.value.busy.known) return undefined
  return http.value.busy.detail ?? http.value.busy.because
}
