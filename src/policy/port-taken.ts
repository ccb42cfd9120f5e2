import type { SimulatedListener } from '../plan/host-state.ts'
import { addressesOverlap } from './addresses.ts'
import { bringsUp } from './brings-up.ts'
import type { Rule } from './rule.ts'
import { factUnknown, inventoryLine } from './words.ts'

export const portTaken: Rule = {
  code: 'PORT.TAKEN',
  severity: 'refuse',
  title: 'Something else listens on the port.',
  explain:
    'A server whose port is in use dies at once, and its supervisor starts it again and again. Worse, a client that finds the port ' +
    'open talks to whatever holds it. Only the process of the service itself may be there. converge stops no process that it does ' +
    'not manage: stop it yourself, or give the service another port.',
  consentable: false,
  checkAction(context) {
    if (!bringsUp(context)) return []
    const { service, before, host } = context
    const { listeners } = before
    if (!listeners.known) {
      const words = { host: host.name, decision: `whether port ${service.port} is free for ${service.name}` }
      return [factUnknown('The list of listening ports', listeners, words)]
    }
    const others = listeners.value.filter(
      (one) => one.port === service.port && one.service !== service.name && addressesOverlap(one.address, service.bind),
    )
    if (others.length === 0) return []
    return [
      {
        why: `${service.name} wants port ${service.port} of ${host.name}, and ${others.map(describe).join(' and ')} listens there.`,
        evidence: [
          inventoryLine(service, `${service.name}: port ${service.port}`),
          ...others.map((one) => `${one.address}:${one.port} is held by ${describe(one)}`),
        ],
        next: [
          `Stop what holds port ${service.port} on ${host.name} if it is not needed, then plan again.`,
          `Or give ${service.name} another port.`,
        ],
      },
    ]
  },
}

function describe(listener: SimulatedListener): string {
  if (listener.service !== null) return `the service ${listener.service}`
  const name = listener.process ?? 'a process'
  return listener.pid.known ? `${name} (pid ${listener.pid.value})` : `${name} (whose pid this account may not see)`
}
