import type { Action } from '../../src/model/action.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Host, Service } from '../../src/model/fleet.ts'
import type { HostPlan } from '../../src/model/plan.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'

/**
 * A second opinion on the safety rules, written without looking at theirs: does the actions one by one on a list of running
 * servers and says what the specification forbids. What a person consented to is left out.
 */
export function brokenPrefixes(input: PlanInput, plan: HostPlan): readonly string[] {
  const host = input.fleet.hosts.find((one) => one.name === plan.host)
  const facts = input.facts.get(plan.host)
  if (host === undefined || facts === undefined || !('salt' in facts)) throw new Error(`${plan.host} was not gathered`)
  const consented = new Set(plan.consented.map((refusal) => `${refusal.code}@${refusal.service ?? ''}`))
  let running = runningNow(host, facts)
  return plan.actions.flatMap((action) => {
    const service = host.services.find((one) => one.name === action.service)
    if (service === undefined) return [`${action.id} is about no service`]
    const before = running
    running = afterAction(before, action, service)
    // Loading runs it for a moment.
    const meanwhile =
      action.momentary === true ? [...before, { service: service.name, kind: service.kind, port: service.port }] : running
    const broken = faults({ action, service, host, facts, before, running: meanwhile, settings: input.fleet.settings })
    return broken
      .filter((fault) => !consented.has(`${fault.split(':')[0]}@${service.name}`))
      .map((fault) => `${action.id} ${fault}`)
  })
}

interface Running {
  readonly service: string
  readonly kind: 'A' | 'B'
  readonly port: number
}

function runningNow(host: Host, facts: HostFacts): readonly Running[] {
  const residents = facts.residents.known ? facts.residents.value : []
  return host.services.flatMap(({ name, kind }) => {
    if (facts.http[name] === undefined) return []
    const port = residents.find((one) =>
      one.container === undefined ? one.unit === `${name}.service` : isContainerOf(facts, name, one.container),
    )?.port
    return [{ service: name, kind, port: port ?? 0 }]
  })
}

function isContainerOf(facts: HostFacts, name: string, id: string): boolean {
  return facts.containers.known && facts.containers.value.containers.some((one) => one.name === name && one.id.startsWith(id))
}

function afterAction(running: readonly Running[], action: Action, service: Service): readonly Running[] {
  const others = running.filter((one) => one.service !== service.name)
  if (action.starts) return [...others, { service: service.name, kind: service.kind, port: service.port }]
  return action.interrupts || action.kind === 'stop' || action.kind === 'remove' ? others : running
}

interface Moment {
  readonly action: Action
  readonly service: Service
  readonly host: Host
  readonly facts: HostFacts
  readonly before: readonly Running[]
  readonly running: readonly Running[]
  readonly settings: PlanInput['fleet']['settings']
}

function faults(moment: Moment): readonly string[] {
  return [...startFaults(moment), ...stopFaults(moment)]
}

function startFaults({ action, service, host, facts, running, settings }: Moment): readonly string[] {
  if (!action.starts && action.momentary !== true) return []
  const gib = 1024 ** 3
  const total = facts.memory.known ? facts.memory.value.totalBytes / gib : 0
  const foreign = (facts.residents.known ? facts.residents.value : []).filter((one) => one.pid >= 70_000 && one.pid < 71_000)
  const foreignA = foreign.filter((one) => one.role === 'A' || one.rssBytes >= gib)
  const model = facts.models[service.model.path]
  const budgets = host.services.filter((one) => one.kind === 'B' && running.some((other) => other.service === one.name))
  const found = [
    [!facts.memory.known, 'FACT.UNKNOWN: the memory is not known'],
    [
      service.kind === 'A' &&
        total <= settings.smallRamGb &&
        running.filter((one) => one.kind === 'A').length + foreignA.length > 1,
      'CORUN.SECOND_KIND_A: two of Kind A on a small machine',
    ],
    [
      running.some((one) => one.service !== service.name && one.port === service.port),
      'PORT.TAKEN: another service has the port',
    ],
    [hasForeignListener(facts, service.port), 'PORT.TAKEN: another program has the port'],
    [model?.known !== true || model.value === null, 'MODEL.MISSING: there is no model'],
    [
      service.kind === 'B' && budgets.reduce((sum, one) => sum + (one.ramGb ?? 0), 0) + settings.headroomGb > total,
      'BUDGET.EXCEEDED: budgets and headroom exceed the machine',
    ],
    [
      service.ctxSize >= 1_048_576 && service.kind === 'A' && total < 64,
      'MEMORY.INSUFFICIENT: the cache alone is larger than the machine',
    ],
  ] as const
  return found.filter(([broken]) => broken).map(([, fault]) => fault)
}

function hasForeignListener(facts: HostFacts, port: number): boolean {
  return facts.listeners.known && facts.listeners.value.some((one) => one.port === port && one.process === 'nginx')
}

function stopFaults({ action, service, before }: Moment): readonly string[] {
  const wasUp = before.some((one) => one.service === service.name)
  const ends = action.interrupts || action.kind === 'stop' || action.kind === 'remove'
  return wasUp && ends && service.kind === 'B' ? ['WARM.RESTART: a Kind B that runs is ended'] : []
}
