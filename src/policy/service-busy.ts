import type { Rule } from './rule.ts'

export const serviceBusy: Rule = {
  code: 'SERVICE.BUSY',
  severity: 'refuse',
  title: 'The server is in the middle of a request.',
  explain:
    'Stopping a server cuts off the answers it is working on; their clients get an error or half a text. Wait until it is idle, or ' +
    'consent. Where the number of requests cannot be told (an older build, another key) a Kind A is not held back for that alone, ' +
    'because it may be restarted freely: SERVICE.BUSY_UNKNOWN says so. A Kind B is, by WARM.RESTART.',
  consentable: true,
  checkAction({ action, service, host, before, facts }) {
    if (!action.interrupts || before.services[service.name]?.running !== true) return []
    const http = facts.http[service.name]
    const busy = http?.known === true ? http.value.busy : undefined
    if (busy?.known !== true || busy.value === 0) return []
    const requests = busy.value === 1 ? 'a request' : `${busy.value} requests`
    return [
      {
        why: `${service.name} on ${host.name} is working on ${requests}; to ${action.kind} it now would cut that off.`,
        evidence: [`requests being worked on: ${busy.value}`],
        next: [`Wait until it is idle, then plan again:  converge plan --limit ${host.name}`],
      },
    ]
  },
}
