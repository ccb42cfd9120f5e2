import { seenContainer } from '../managers/compose/seen.ts'
import type { NamedService } from '../managers/manager.ts'
import { inContainer } from '../managers/traits.ts'
import type { Container, HostFacts, Listener, Resident } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import { mapObserved, type Observed, type Unknown } from '../model/observed.ts'
import type { Verdict } from './smoke-deps.ts'

type Facts = Pick<HostFacts, 'listeners' | 'residents' | 'containers'>

/** Prefixes that a container engine prints before a published port. */
const proxies = ['docker-proxy', 'rootlessport', 'rootlesskit', 'docker-pr', 'com.docke']

/**
 * Whether the service's managed process, a descendant of it, or its container holds the port. An orphan of an earlier run answers just as well,
 * and only this check distinguishes it. Unknown facts are reported but are no failure.
 *
 * @param process the managed process as the service's manager observes it; null: none
 */
export function judgePortOwner(
  service: NamedService & Pick<Service, 'port' | 'manager'>,
  facts: Facts,
  process: { readonly pid: number } | null,
): Verdict {
  const { name, port, manager } = service
  if (!facts.listeners.known) return unseen(wordsOf(facts.listeners))
  const listeners = facts.listeners.value.filter((listener) => listener.port === port)
  if (listeners.length === 0) return { ok: false, detail: `nothing listens on port ${port}` }
  const container = inContainer({ manager }) ? publishing(facts, service, port) : undefined
  if (container?.known === false) return unseen(wordsOf(container))
  const owner = container?.value
  if (owner === null) return { ok: false, detail: `no running container ${name} publishes port ${port}` }
  const verdicts = listeners.map((listener) => judgeListener(listener, facts, process, owner))
  return (
    verdicts.find((verdict) => !verdict.ok) ??
    verdicts.find((verdict) => verdict.skipped === undefined) ??
    verdicts[0] ??
    unseen('')
  )
}

function judgeListener(
  listener: Listener,
  { residents }: Facts,
  process: { readonly pid: number } | null,
  container: Container | undefined,
): Verdict {
  const what = listener.process ?? 'a process'
  if (container !== undefined && proxies.some((proxy) => what.startsWith(proxy)))
    return { ok: true, detail: `port ${listener.port} belongs to container ${container.name}` }
  if (!listener.pid.known) {
    if (container !== undefined) return { ok: true, detail: `container ${container.name} publishes port ${listener.port}` }
    return unseen(`${what} listens, but its process is not visible`)
  }
  const pid = listener.pid.value
  const seen = residents.known ? residents.value : []
  if (process !== null && ancestry(pid, seen).includes(process.pid))
    return { ok: true, detail: `port ${listener.port} belongs to process ${process.pid}` }
  if (container !== undefined && isInside(pid, container, seen))
    return { ok: true, detail: `port ${listener.port} belongs to container ${container.name}` }
  const managed = process === null ? 'there is no managed process' : `the managed process is ${process.pid}`
  return { ok: false, detail: `port ${listener.port} belongs to ${what} (process ${pid}); ${managed}` }
}

/** Null: no running container. */
function publishing(facts: Facts, service: NamedService, port: number): Observed<Container | null> {
  return mapObserved(seenContainer(service, facts), (own) => {
    const publishes = own?.ports.some((mapping) => mapping.split(':').at(-2) === String(port)) === true
    return publishes && own.state === 'running' ? own : null
  })
}

function isInside(pid: number, { id }: Container, residents: readonly Resident[]): boolean {
  const inside = residents.find((resident) => resident.pid === pid)?.container ?? ''
  return inside !== '' && id.startsWith(inside)
}

/** The process and its ancestors, as far as they are model servers. */
function ancestry(pid: number, residents: readonly Resident[]): readonly number[] {
  const parents = new Map(residents.map((resident) => [resident.pid, resident.ppid]))
  const chain = [pid]
  for (let next = parents.get(pid); next !== undefined && next > 1 && !chain.includes(next); next = parents.get(next))
    chain.push(next)
  return chain
}

function wordsOf({ detail, because }: Unknown): string {
  return detail ?? because
}

function unseen(why: string): Verdict {
  return { ok: true, detail: `unknown: ${why}`, skipped: `the listening process is unknown: ${why}` }
}
