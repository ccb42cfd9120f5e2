import type { HostFacts } from '../../src/model/facts.ts'
import type { Host, Service } from '../../src/model/fleet.ts'
import { known, mapObserved } from '../../src/model/observed.ts'
import type { HostLot } from './arbitrary-fleet.ts'
import { idle } from './simulated-host.ts'

/** Its processes exist, keep their memory and ports, and answer no request. */
export function paused(facts: HostFacts, lot: HostLot, host: Host): HostFacts {
  const those = host.services.flatMap(({ name, manager }, place) => {
    const was = lot.services[place]?.was
    return was?.paused === true && was.state === 'running' && manager === 'compose' ? [name] : []
  })
  const silent = { known: false, because: 'timed-out' } as const
  const mute = {
    health: { status: 0, ms: 2000 },
    models: silent,
    props: silent,
    busy: silent,
    completed: silent,
    keyAccepted: silent,
  }
  return {
    ...facts,
    http: { ...facts.http, ...Object.fromEntries(those.map((name) => [name, known(mute)])) },
    containers: mapObserved(facts.containers, (one) => ({
      ...one,
      containers: one.containers.map((container) =>
        those.includes(container.name) ? { ...container, state: 'paused' } : container,
      ),
    })),
  }
}

/** Whether the container of a service is there and paused. */
export function isPaused({ containers }: HostFacts, { name, manager }: Service): boolean {
  if (manager !== 'compose' || !containers.known) return false
  return containers.value.containers.some((one) => one.name === name && one.state === 'paused')
}

/** The facts after a container was let go on, as it was. */
export function withUnpaused(facts: HostFacts, service: Service): HostFacts {
  return {
    ...facts,
    containers: mapObserved(facts.containers, (one) => ({
      ...one,
      containers: one.containers.map((container) =>
        container.name === service.name ? { ...container, state: 'running' } : container,
      ),
    })),
    http: { ...facts.http, [service.name]: known(idle(service)) },
  }
}
