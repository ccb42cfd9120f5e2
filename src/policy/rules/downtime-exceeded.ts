import { converge } from '../../lib/next-command.ts'
import type { Action } from '../../model/action.ts'
import { aboutSeconds, cutOffAfter } from '../../simulate/downtime.ts'
import type { ServiceCase } from '../../simulate/service-case.ts'
import type { Finding, Rule } from '../rule.ts'

export const downtimeExceeded: Rule = {
  code: 'DOWNTIME.EXCEEDED',
  severity: 'refuse',
  title: 'The service would exceed --max-downtime.',
  explain:
    'With `--max-downtime`, converge refuses what takes a running service down for longer than that, or for an unknown time. Each time converge ' +
    'starts and tests a server, it measures how long the start takes. The record of what was applied keeps that time. A server may also take ' +
    'its `stop_timeout` to stop, unless it is known to be idle; with `--wait-idle` it does not. Stopping or removing a service as the inventory ' +
    'wants is not downtime. Actions that interrupt nothing are done as usual. Give the flag another time, or leave it out; nothing else ' +
    'overrules this refusal.',
  consentable: false,
  checkAction({ action, host, service, facts, maxDowntimeS }) {
    if (maxDowntimeS === undefined || !action.interrupts || !action.starts) return []
    return exceeded(action, { host, service, facts }, maxDowntimeS)
  },
}

type Subject = Pick<ServiceCase, 'host' | 'service' | 'facts'>

/** Whether the downtime of an action that interrupts and starts its service exceeds the limit. */
export function exceeded(action: Action, subject: Subject, maxDowntimeS: number): readonly Finding[] {
  const { host } = subject
  const { service, downtime_s: start, downtime } = action
  // An action that waits for idle cuts off no request.
  const stop = action.wait_idle_s === undefined ? cutOffAfter(subject) : 0
  const seconds = start === null || start === undefined ? start : start + stop
  if (seconds !== null && seconds !== undefined && seconds <= maxDowntimeS) return []
  const limit = aboutSeconds(maxDowntimeS).replace('about ', '')
  const known = seconds !== null && seconds !== undefined
  return [
    {
      why: known
        ? `${service} on ${host.name} would be down for ${aboutSeconds(seconds)}${stop === 0 ? '' : ' if a request has to be cut off'}; --max-downtime allows ${limit}.`
        : `The downtime of ${service} on ${host.name} is unknown, because its start was never measured; --max-downtime allows ${limit}.`,
      evidence: [`downtime: ${downtime}`, `--max-downtime: ${limit}`],
      next: known
        ? [converge(['plan', '--limit', host.name, '--max-downtime', `${Math.ceil(seconds / 60)}m`])]
        : [`Apply it once without --max-downtime, at a good time: ${host.name} then remembers the measured start.`],
    },
  ]
}
