import { hostItself } from '../model/action.ts'
import type { Fleet } from '../model/fleet.ts'
import type { SentAlert } from '../model/notification.ts'
import type { HostOverview, Overview, ServiceOverview } from '../model/overview.ts'
import { lookedAtFetch } from './fetch-alerts.ts'

/** Which part of the fleet a run was asked about. */
export interface Asked {
  readonly fleet: Fleet
  /** Asked about `hostItself` too. */
  readonly selects: (service: string) => boolean
  /** There is no `-s`. */
  readonly everyService: boolean
}

/**
 * Whether a run looked where something was told of, so that it is gone where the run did not find it. What was not looked at, not reachable
 * or not to be compared is unknown, and stays told.
 */
export function looker(overview: Overview, { fleet, selects, everyService }: Asked): (sent: SentAlert) => boolean {
  const hosts = new Map(overview.hosts.map((one) => [one.host, one]))
  const wanted = new Map(fleet.hosts.map((one) => [one.name, new Set(one.services.map(({ name }) => name))]))
  return (sent) => {
    if (sent.origin === 'rest') return true
    const known = wanted.get(sent.host)
    // Nobody will ever look there again.
    if (known === undefined) return true
    const host = hosts.get(sent.host)
    if (host === undefined || !host.reachable) return false
    if (sent.origin === 'host') return true
    if (sent.origin === 'fetch') return lookedAtFetch(overview.verb, host, sent, (services) => everyService || selects(services))
    if (sent.origin === 'drift') return overview.verb === 'drift' && selects(sent.service) && isCompared(host, sent)
    return lookedAtService(overview.verb, host, sent, { everyService, wanted: known })
  }
}

function lookedAtService(
  verb: string,
  { services }: HostOverview,
  sent: SentAlert,
  { everyService, wanted }: Pick<Asked, 'everyService'> & { readonly wanted: ReadonlySet<string> },
): boolean {
  if (verb === 'drift' || verb === 'fetch') return false
  const service = services.find((one) => one.service === sent.service)
  if (service !== undefined) return hasSeen(verb, sent, service)
  if (!everyService) return false
  if (sent.service !== hostItself) return !wanted.has(sent.service)
  return sent.origin === 'plan' ? verb !== 'verify' : actingVerbs.has(verb)
}

const actingVerbs: ReadonlySet<string> = new Set(['apply', 'resume'])

/** What could not be compared of the machine may be any stranger on it. */
function isCompared({ services }: HostOverview, sent: SentAlert): boolean {
  const unseen = services.filter(({ findings }) => findings.some(({ level }) => level === 'not compared'))
  return !unseen.some(({ service }) => service === sent.service || (service === hostItself && sent.event === 'foreign'))
}

/** An action that was not reached says nothing about the one that failed; nor does a smoke test that was not begun. */
function hasSeen(verb: string, { origin }: SentAlert, { actions, smoke }: ServiceOverview): boolean {
  if (origin === 'plan') return verb !== 'verify'
  if (origin === 'action') return actingVerbs.has(verb) && actions.every(({ result }) => result?.status !== 'not-run')
  return smoke !== undefined && (smoke.ok || smoke.checks.some(({ ok, skipped }) => !ok && skipped === undefined))
}
