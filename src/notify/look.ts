import { hostItself } from '../model/action.ts'
import type { Fleet } from '../model/fleet.ts'
import type { SentAlert } from '../model/notification.ts'
import type { HostOverview, Overview, ServiceOverview } from '../model/overview.ts'
import { lookedAtFetch } from './fetch-alerts.ts'

/** The part of the fleet that a run covers. */
export interface RunScope {
  readonly fleet: Fleet
  /** Also called with `hostItself`. */
  readonly selects: (service: string) => boolean
  /** True without `-s`. */
  readonly everyService: boolean
}

/**
 * Whether a run checked the subject of a sent alert; then an alert that it did not find is gone. Anything unchecked, unreachable
 * or not compared is unknown, and its alert stays.
 */
export function looker(overview: Overview, { fleet, selects, everyService }: RunScope): (sent: SentAlert) => boolean {
  const hosts = new Map(overview.hosts.map((one) => [one.host, one]))
  const inventory = new Map(fleet.hosts.map((one) => [one.name, new Set(one.services.map(({ name }) => name))]))
  return (sent) => {
    if (sent.origin === 'rest') return true
    const known = inventory.get(sent.host)
    // The host was removed from the inventory.
    if (known === undefined) return true
    const host = hosts.get(sent.host)
    if (host === undefined || !host.reachable) return false
    if (sent.origin === 'host') return true
    if (sent.origin === 'fetch') return lookedAtFetch(overview.verb, host, sent, (services) => everyService || selects(services))
    if (sent.origin === 'drift') return overview.verb === 'drift' && selects(sent.service) && isCompared(host, sent)
    return lookedAtService(overview.verb, host, sent, { everyService, inventoried: known })
  }
}

function lookedAtService(
  verb: string,
  { services }: HostOverview,
  sent: SentAlert,
  { everyService, inventoried }: Pick<RunScope, 'everyService'> & { readonly inventoried: ReadonlySet<string> },
): boolean {
  if (verb === 'drift' || verb === 'fetch') return false
  const service = services.find((one) => one.service === sent.service)
  if (service !== undefined) return hasSeen(verb, sent, service)
  if (!everyService) return false
  if (sent.service !== hostItself) return !inventoried.has(sent.service)
  return sent.origin === 'plan' ? verb !== 'verify' : actingVerbs.has(verb)
}

const actingVerbs: ReadonlySet<string> = new Set(['apply', 'resume'])

/** If the machine itself could not be compared, any unmanaged server on it is unknown. */
function isCompared({ services }: HostOverview, sent: SentAlert): boolean {
  const unseen = services.filter(({ findings }) => findings.some(({ level }) => level === 'not compared'))
  return !unseen.some(({ service }) => service === sent.service || (service === hostItself && sent.event === 'foreign'))
}

/** An action that was not run says nothing about an earlier failure, nor does a smoke test that was not started. */
function hasSeen(verb: string, { origin }: SentAlert, { actions, smoke }: ServiceOverview): boolean {
  if (origin === 'plan') return verb !== 'verify'
  if (origin === 'action') return actingVerbs.has(verb) && actions.every(({ result }) => result?.status !== 'not-run')
  return smoke !== undefined && (smoke.ok || smoke.checks.some(({ ok, skipped }) => !ok && skipped === undefined))
}
