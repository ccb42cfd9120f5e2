import type { Container, HostFacts } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import { mapObserved } from '../../src/model/observed.ts'
import { type Applied, withApplied } from './simulated-host.ts'

/** After `docker update --restart`, or as created by hand. */
export function withRestartPolicy(facts: HostFacts, { name }: Service, restartPolicy = 'unless-stopped'): HostFacts {
  return withContainer(facts, name, (container) => ({ ...container, restartPolicy }))
}

/** After `compose up -d`: a container that was made from the same definition is started as it is, whatever became of it since. */
export function withStarted(facts: HostFacts, applied: Omit<Applied, 'running'>): HostFacts {
  const now = withApplied(facts, { ...applied, running: true })
  return withThatOf(facts, now, applied.service, ({ state, pid, health }) => ({ state, pid, health }))
}

/** After `compose up --no-start`: the same. */
export function withPlaced(facts: HostFacts, applied: Omit<Applied, 'running'>): HostFacts {
  return withThatOf(facts, withApplied(facts, { ...applied, running: false }), applied.service, () => ({}))
}

function withThatOf(
  before: HostFacts,
  now: HostFacts,
  { name, manager }: Service,
  changed: (made: Container) => Partial<Container>,
): HostFacts {
  const old = before.containers.known ? before.containers.value.containers.find((one) => one.name === name) : undefined
  if (manager !== 'compose' || old === undefined) return now
  return withContainer(now, name, (made) => (old.labels[label] === made.labels[label] ? { ...old, ...changed(made) } : made))
}

const label = 'converge.definition'

function withContainer(facts: HostFacts, name: string, change: (container: Container) => Container): HostFacts {
  return {
    ...facts,
    containers: mapObserved(facts.containers, (one) => ({
      ...one,
      containers: one.containers.map((container) => (container.name === name ? change(container) : container)),
    })),
  }
}
