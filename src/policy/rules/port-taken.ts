import { addressesOverlap } from '../../lib/addresses.ts'
import { converge } from '../../lib/next-command.ts'
import type { Service } from '../../model/fleet.ts'
import { isServerKind } from '../../servers/traits.ts'
import type { HostState, SimulatedListener } from '../../simulate/host-state.ts'
import { mayPublish } from '../../simulate/own-processes.ts'
import { bringsUp } from '../brings-up.ts'
import type { ActionContext, Finding, Rule } from '../rule.ts'
import { factUnknown, inventoryLine } from '../words.ts'
import { howToRemoveOrphan } from './service-forgotten.ts'

export const portTaken: Rule = {
  code: 'PORT.TAKEN',
  severity: 'refuse',
  title: 'The port is in use by something else.',
  explain:
    'Another process listens on the port of this service. A second server on that port exits at once, and its supervisor restarts it again and ' +
    'again. Meanwhile clients talk to the wrong program. converge never stops a process that it does not manage: stop it yourself, give ' +
    'the service another port, or bring the server into the inventory (`converge adopt`). If another service of the inventory holds the port, converge moves that service first, even if two ' +
    'services swap ports. It cannot do that if the other service is not selected, wants the same port, or is itself refused. The evidence ' +
    'names the cause.',
  consentable: false,
  checkAction(context) {
    if (!bringsUp(context)) return []
    const { service, before, host } = context
    const { listeners } = before
    if (!listeners.known) {
      const words = { host: host.name, decision: `whether port ${service.port} is free for ${service.name}` }
      return [factUnknown('The list of listening ports', listeners, words)]
    }
    const others = holdersOf(service, before)
    if (others.length === 0) return unseenPublished(context)
    const ours = [...new Set(others.flatMap((one) => one.service ?? []))]
    const orphaned = [...new Set(others.flatMap((one) => one.orphaned ?? []))]
    const isUnmanaged = others.some((one) => one.service === null && one.orphaned === undefined)
    return [
      {
        ...(isUnmanaged
          ? {}
          : { summary: orphaned.length > 0 ? orphanListens : 'Another service of the inventory listens on the port.' }),
        why: `${service.name} needs port ${service.port} of ${host.name}, but ${others.map(describe).join(' and ')} ${others.length === 1 ? 'listens' : 'listen'} there.`,
        evidence: [
          inventoryLine(service, ['port'], `${service.name}: port ${service.port}`),
          ...others.map((one) => `${one.address}:${one.port} is held by ${describe(one)}`),
        ],
        next: [
          ...(isUnmanaged && holdsModelServer(others, before)
            ? [converge(['adopt', host.name], { say: 'If it is to stay, bring it in:' })]
            : []),
          ...(isUnmanaged ? [`Stop what holds port ${service.port} on ${host.name} if it is not needed, then plan again.`] : []),
          ...orphaned.map((name) => howToRemoveOrphan(name, host.name)),
          ...ours.map((name) => `Find out why ${name} keeps the port: see the evidence and the refusals of ${name}.`),
          `Or give ${service.name} another port.`,
        ],
      },
    ]
  },
}

/**
 * On Linux, an engine may publish a port through the kernel's packet filter, without a process that listens. So if the containers are unknown,
 * these ports are too. An engine that is not running publishes none, and a port with a listener is not published. On a Mac, a process listens on them.
 */
function unseenPublished({ facts, host, service }: ActionContext): readonly Finding[] {
  const { containers, listeners, platform } = facts
  if (containers.known || containers.because === 'not-running') return []
  if (platform.known && platform.value.os === 'macos') return []
  if (listeners.known && listeners.value.some(({ port }) => port === service.port)) return []
  const words = { host: host.name, decision: `whether a container publishes port ${service.port}, which ${service.name} needs` }
  return [factUnknown('The list of containers', containers, words)]
}

const orphanListens = 'An orphaned service listens on the port.'

/** Other listeners on the address and port of the service, on the simulated host; empty if they are unknown. */
export function holdersOf(service: Service, { listeners }: HostState): readonly SimulatedListener[] {
  const all = listeners.known ? listeners.value : []
  return all.filter(
    (one) => one.port === service.port && one.service !== service.name && addressesOverlap(one.address, service.bind),
  )
}

/** Whether a server of a known kind listens there, or may be behind the proxy of a container engine. */
function holdsModelServer(holders: readonly SimulatedListener[], { residents }: HostState): boolean {
  if (!residents.known) return false
  return residents.value.some(
    ({ service, kind, seen, port }) =>
      isServerKind(kind) &&
      holders.some(
        (one) => (one.pid.known && one.pid.value === seen?.pid) || one.port === port || (service === null && mayPublish(one)),
      ),
  )
}

function describe(listener: SimulatedListener): string {
  if (listener.service !== null) return `the service ${listener.service}`
  const name = listener.process ?? 'a process'
  if (listener.orphaned !== undefined)
    return `${listener.orphaned} (no longer in the inventory${listener.pid.known ? `; ${name}, pid ${listener.pid.value}` : ''})`
  return listener.pid.known ? `${name} (pid ${listener.pid.value})` : `${name} (its pid is not visible to this account)`
}
