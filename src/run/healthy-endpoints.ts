import { type ExitCode, exitCodes, worstOf } from '../context/exit-code.ts'
import { noteBug } from '../context/report-bug.ts'
import type { Endpoint, EndpointList, EndpointNote } from '../endpoints/endpoint.ts'
import { managers } from '../managers/index.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import { renderUnreachable } from '../report/problem-text.ts'
import { statusOf } from '../report/status-of.ts'
import type { ServiceStatus } from '../report/status-text.ts'
import type { Run } from './run.ts'
import { unseenExit } from './unseen-exit.ts'

/** Keeps the endpoints that answer. The hosts are asked as by `converge status`; a host that is not reached loses its endpoints. */
export async function healthyEndpoints(
  run: Run,
  list: EndpointList,
): Promise<{ readonly list: EndpointList; readonly exit: ExitCode }> {
  const named = new Set(list.endpoints.map(({ host }) => host))
  const hosts = run.open.fleet.hosts.filter(({ name }) => named.has(name))
  const seen = await run.observe(hosts, { keep: false, phase: 'gather' })
  await run.stopDisplay()
  const services = new Map(hosts.flatMap((host) => host.services.map((one) => [`${host.name}/${one.name}`, one] as const)))
  const exits: ExitCode[] = [exitCodes.done]
  const asked = list.endpoints.map((endpoint): Endpoint | EndpointNote => {
    const facts = seen.get(endpoint.host)
    const service = services.get(`${endpoint.host}/${endpoint.service}`)
    if (service === undefined || facts === undefined || !('salt' in facts))
      return { ...about(endpoint), because: 'its host was not reached' }
    const because = silence(run, service, facts)
    return because === undefined ? endpoint : { ...about(endpoint), because }
  })
  for (const host of hosts) {
    const facts = seen.get(host.name)
    if (facts !== undefined && 'salt' in facts) continue
    exits.push(unseenExit(facts))
    if (facts !== undefined) run.context.err.writeProse(`${renderUnreachable(host.name, facts, run.context.err.paint)}\n`)
  }
  const endpoints = asked.flatMap((one) => ('because' in one ? [] : [one]))
  const kept = new Set(endpoints.map(({ host, service }) => `${host}/${service}`))
  return {
    list: {
      endpoints,
      unlisted: [...list.unlisted, ...asked.flatMap((one) => ('because' in one ? [one] : []))],
      doubts: list.doubts.filter(({ host, service }) => kept.has(`${host}/${service}`)),
    },
    exit: worstOf(exits),
  }
}

const healthWords: Readonly<Record<Exclude<ServiceStatus['health'], 'ready' | null>, string>> = {
  loading: 'still loading',
  'no-answer': 'no answer',
  failing: 'its health check fails',
  unknown: 'its health is unknown',
}

function about({ host, service }: Endpoint): Pick<EndpointNote, 'host' | 'service'> {
  return { host, service }
}

/** Why a service does not answer where the inventory has it; undefined: it does. */
function silence({ open, context }: Run, service: Service, facts: HostFacts): string | undefined {
  try {
    const state = managers[service.manager].observe(service, facts, open.fleet.settings.org)
    const { state: activity, health, port } = statusOf(service, facts, state)
    if (activity !== 'running') return activity
    if (port !== service.port) return `still on port ${port}`
    if (health === 'ready') return undefined
    return healthWords[health ?? 'unknown']
  } catch (error) {
    noteBug(context, error, `${service.name} on ${service.host} is left out because of it; the others follow.`)
    return 'not checked because of a bug'
  }
}
