import { ownMember } from '../lib/own-member.ts'
import type { ActionContext, Rule } from './rule.ts'

export const serviceBusy: Rule = {
  code: 'SERVICE.BUSY',
  severity: 'refuse',
  title: 'The server is in the middle of a request.',
  explain:
    'Stopping a server cuts off the answers it is working on; their clients get an error or half a text. Have it waited for ' +
    '(`--wait-idle 10m`), or consent. Where the number of requests cannot be told (an older build, another key) a Kind A is not held ' +
    'back for that alone, because it may be restarted freely: SERVICE.BUSY_UNKNOWN says so. A Kind B is, by WARM.RESTART.',
  consentable: true,
  checkAction(context) {
    const { action, service, host } = context
    const requests = requestsCutOff(context)
    if (requests === 0 || action.wait_idle_s !== undefined) return []
    return [
      {
        why: `${service.name} on ${host.name} is working on ${requestWords(requests)}; to ${action.kind} it now would cut that off.`,
        evidence: [`requests being worked on: ${requests}`],
        next: [
          `Have it wait for a moment without any:  converge apply --limit ${host.name} --wait-idle 10m`,
          `Or wait until it is idle, then plan again:  converge plan --limit ${host.name}`,
        ],
      },
    ]
  },
}

/** How many requests the action would cut off; 0 also where that is not known. */
export function requestsCutOff({ action, service, before, facts }: ActionContext): number {
  if (!action.interrupts || ownMember(before.services, service.name)?.running !== true) return 0
  const http = ownMember(facts.http, service.name)
  return http?.known === true && http.value.busy.known ? http.value.busy.value : 0
}

export function requestWords(requests: number): string {
  return requests === 1 ? 'a request' : `${requests} requests`
}
