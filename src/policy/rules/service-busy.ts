import { converge } from '../../lib/next-command.ts'
import { ownMember } from '../../lib/own-member.ts'
import type { HttpFact } from '../../model/http-fact.ts'
import type { ServerKindName } from '../../model/names.ts'
import { serverKinds } from '../../servers/index.ts'
import type { ActionContext, Rule } from '../rule.ts'
import { gerunds } from '../words.ts'

export const serviceBusy: Rule = {
  code: 'SERVICE.BUSY',
  severity: 'refuse',
  title: 'The server is busy.',
  explain:
    'The server is working on a request. Stopping it cuts off the answer; the client gets an error or an incomplete answer. Let converge wait ' +
    '(`--wait-idle 10m`), or approve the action (`--allow`). A Kind A that does not answer on its open port has all its threads in use, or it ' +
    'hangs. If you know that it hangs, approve the action. If the requests of a Kind A cannot be counted (an older build, another key), converge ' +
    'does not refuse: it may be restarted freely, and SERVICE.BUSY_UNKNOWN warns. For a Kind B, WARM.RESTART refuses.',
  consentable: true,
  checkAction(context) {
    const { action, service, host } = context
    const cut = cutOffBy(context)
    if (cut === undefined || action.wait_idle_s !== undefined) return []
    return [
      {
        why: `${service.name} on ${host.name} is working on ${cut.words}. ${gerunds[action.kind]} it now would cut that off.`,
        evidence: [cut.evidence],
        next: [
          converge(['apply', '--limit', host.name, '--wait-idle', '10m'], {
            say: 'Wait for a moment without requests, then apply:',
          }),
          converge(['plan', '--limit', host.name], { say: 'Or wait until it is idle, then plan again:' }),
        ],
      },
    ]
  },
}

/** What an action would cut off, in words, and the evidence for it. */
export interface CutOff {
  readonly words: string
  readonly evidence: string
}

/** Undefined: nothing, or unknown. */
export function cutOffBy({ action, service, before, facts, state }: ActionContext): CutOff | undefined {
  if (!action.interrupts || ownMember(before.services, service.name)?.running !== true) return undefined
  const http = ownMember(facts.http, service.name)
  // A paused server answers no request, whether it is busy or not.
  if (http?.known !== true || state.activity === 'paused') return undefined
  const { busy } = http.value
  if (!busy.known) return cutOffUnanswered(service.kind, http.value)
  return busy.value === 0 ? undefined : { words: requestWords(busy.value), evidence: `requests in progress: ${busy.value}` }
}

/**
 * A Kind A that does not answer on its open port has all its threads in use, so it counts as busy. One that hangs looks the same.
 */
function cutOffUnanswered(kind: ServerKindName, { busy, health }: HttpFact): CutOff | undefined {
  if (busy.known || busy.because !== 'timed-out' || !serverKinds[kind].http.answersWhileLoading) return undefined
  if (health.status !== 0 && health.status !== 200) return undefined
  return {
    words: 'something that keeps it from answering',
    evidence: `no answer to /${health.status === 0 ? 'health' : 'slots'} on the open port: all its threads are busy, or it hangs`,
  }
}

function requestWords(requests: number): string {
  return requests === 1 ? 'a request' : `${requests} requests`
}
