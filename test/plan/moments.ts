import type { Action } from '../../src/model/action.ts'
import type { HostFacts, Resident } from '../../src/model/facts.ts'
import type { Host, Service } from '../../src/model/fleet.ts'
import type { HttpFact } from '../../src/model/http-fact.ts'
import type { ServerKindName } from '../../src/model/names.ts'
import type { HostPlan } from '../../src/model/plan.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { factsOf } from '../support/fleet-input.ts'
import { isPaused } from '../support/paused-container.ts'
import { pidOf } from '../support/simulated-pid.ts'
import { heldBy, type Taken, takenBy, takenByKindA, weightsOf } from '../support/taken-memory.ts'

/**
 * A plan before a second opinion on the safety rules, which was written without looking at theirs: the actions are done one by one on a
 * list of running servers, and what the specification forbids is reported.
 */
export interface Trial {
  /** As it is. */
  readonly truth: PlanInput
  /** As it was seen. */
  readonly seen: PlanInput
  readonly plan: HostPlan
}

interface Moments {
  readonly start: Moment
  /** Of each action. */
  readonly before: readonly Moment[]
  readonly end: Moment
}

export function momentsOf(place: Place): Moments {
  const start = beginning(place)
  const before: Moment[] = []
  let end = start
  for (const action of place.trial.plan.actions) {
    before.push(end)
    end = after(place, end, action)
  }
  return { start, before, end }
}

export interface Place {
  readonly host: Host
  readonly facts: HostFacts
  readonly seen: HostFacts
  readonly trial: Trial
}

/** A running server; an unmanaged one has no name. */
export interface Up extends Taken {
  readonly service: string | undefined
  /** GiB that it may still take beyond what it holds, and of Kind B what it was given. */
  readonly due: number
  readonly budget: number
  /** What its process was started with, where that is not what its supervisor would start it with. */
  readonly started?: number
  readonly kind: ServerKindName
  readonly port: number | undefined
  readonly busy: boolean
  /** Paused; whether it is busy is unknown. */
  readonly paused?: true
}

export interface Moment {
  readonly up: readonly Up[]
  readonly freeGb: number
  /** Services with a foreign definition. */
  readonly foreign: ReadonlySet<string>
}

export function placeOf(trial: Trial): Place {
  const host = trial.truth.fleet.hosts.find((one) => one.name === trial.plan.host)
  if (host === undefined) throw new Error(`there is no ${trial.plan.host}`)
  return { host, facts: factsOf(trial.truth, host.name), seen: factsOf(trial.seen, host.name), trial }
}

export function serviceOf({ host }: Place, { service }: Action): Service | undefined {
  return host.services.find((one) => one.name === service)
}

function beginning(place: Place): Moment {
  const { host, facts } = place
  const residents = facts.residents.known ? facts.residents.value : []
  const own = host.services.flatMap((service): readonly Up[] => {
    const process = residents.find((one) => one.pid === pidOf(service))
    if (process === undefined) return []
    const http = facts.http[service.name]
    const busy = http?.known === true && isBusy(service.kind, http.value)
    const held = heldBy(facts, service)
    const stands = isPaused(facts, service)
    return [
      {
        service: service.name,
        kind: service.kind,
        port: process.port,
        busy: busy && !stands,
        ...(stands ? { paused: true } : {}),
        ...held,
        ...startedWith(place, service, process, held),
      },
    ]
  })
  const unmanaged = residents
    .filter(({ pid }) => pid >= 70_000 && pid < 71_000)
    .map(({ rssBytes }): Up => {
      return { service: undefined, kind: 'A', port: undefined, busy: false, own: 0, mapped: rssBytes / gib, due: 0, budget: 0 }
    })
  return {
    up: [...own, ...unmanaged],
    freeGb: facts.memory.known ? facts.memory.value.availableBytes / gib : 0,
    foreign: new Set(host.services.filter((one) => isForeign(facts, one)).map((one) => one.name)),
  }
}

/** By its own arguments and environment; where these cannot be read, or the file that it would be started from again, the larger counts. */
function startedWith(
  { seen, host }: Place,
  service: Service,
  process: Resident,
  held: Taken,
): Pick<Up, 'due' | 'budget' | 'started'> {
  const word = (flag: string) => process.argv[process.argv.indexOf(flag) + 1] ?? ''
  if (service.kind === 'A') {
    const weights = seen.models[word('--model')] === undefined ? weightsOf(service.model.path) : weightsOf(word('--model'))
    // While the owners of containers are unknown, it may be any service that runs in one.
    const mayBe =
      service.manager === 'compose' && !seen.containers.known
        ? host.services.filter((one) => one.manager === 'compose')
        : [service]
    const prompts = Number(word('--cache-ram'))
    const dues = mayBe.map(({ model }) => {
      const shapes = [seen.models[word('--model')], seen.models[model.path]]
      if (!shapes.some((one) => one?.known === true && one.value !== null)) return prompts / 1024
      const takes = takenByKindA({ ctxSize: Number(word('--ctx-size')), promptsMib: prompts, weights })
      return Math.max(0, takes.own - held.own) + Math.max(0, takes.mapped - held.mapped)
    })
    return { due: Math.max(...dues), budget: 0 }
  }
  const shown = seen.residents.known ? seen.residents.value.find(({ pid }) => pid === process.pid) : undefined
  const loaded = seen.launchd.known ? seen.launchd.value.agents[`com.example.${service.name}`]?.environment : undefined
  const stated = shown?.env?.['RAM_GB'] ?? loaded?.['RAM_GB']
  // While the owners of containers are unknown, it may be any service that runs in one.
  const mayBe =
    service.manager === 'compose' && !seen.containers.known
      ? host.services.filter((one) => one.manager === 'compose' && one.kind === 'B')
      : [service]
  const budget = Math.max(...mayBe.flatMap((one) => [Number(stated ?? 0), ...budgetsOf(seen, one, stated !== undefined)]))
  return { due: Math.max(0, budget - held.own), budget, ...(stated === undefined ? {} : { started: Number(stated) }) }
}

function budgetsOf(seen: HostFacts, service: Service, stated: boolean): readonly number[] {
  const file = Object.entries(seen.definitions).find(([path]) => new RegExp(`[/.]${service.name}[/.]`).test(path))?.[1]
  const onDisk = file?.known === true ? /RAM_GB\D+(\d+)/.exec(file.value?.content ?? '')?.[1] : undefined
  const record = seen.applied.known ? seen.applied.value[service.name]?.wanted['ramGb'] : undefined
  return [onDisk, ...(stated && file?.known === true ? [] : [record, service.ramGb])].map((one) => Number(one ?? 0))
}

/** One that says nothing at its open port, or not how many it works on, has no ear. */
function isBusy(kind: Service['kind'], { busy, health }: HttpFact): boolean {
  return busy.known ? busy.value > 0 : kind === 'A' && busy.because === 'timed-out' && [0, 200].includes(health.status)
}

export const gib = 1024 ** 3

function isForeign({ definitions }: HostFacts, { name }: Service): boolean {
  return Object.entries(definitions).some(
    ([path, seen]) =>
      new RegExp(`[/.]${name}[/.]`).test(path) && seen.known && seen.value !== null && seen.value.mark !== `com.example.${name}`,
  )
}

/** Letting a paused server go on ends nothing and starts nothing. */
export function letsGoOn({ up }: Moment, action: Action): boolean {
  return action.kind === 'start' && up.some(({ service, paused }) => service === action.service && paused === true)
}

export function ends(action: Action): boolean {
  return action.interrupts || action.starts || action.kind === 'stop' || action.kind === 'remove'
}

export function after(place: Place, moment: Moment, action: Action): Moment {
  const service = serviceOf(place, action)
  if (service === undefined) return moment
  if (!letsGoOn(moment, action)) return later(moment, action, service)
  const up = moment.up.map(({ paused: _, ...one }) =>
    one.service === service.name ? one : { ...one, ...(_ === true ? { paused: _ } : {}) },
  )
  return { ...moment, up }
}

function later({ up, freeGb, foreign }: Moment, action: Action, service: Service): Moment {
  const owners = new Set([...foreign].filter((name) => name !== service.name || !(isWrite(action) || action.kind === 'adopt')))
  if (!ends(action)) return { up: isWrite(action) ? up.map((one) => promisedMore(one, service)) : up, freeGb, foreign: owners }
  const rest = up.filter((one) => one.service !== service.name)
  const freed = up.filter((one) => one.service === service.name).reduce((sum, { own }) => sum + own, 0)
  if (!action.starts) return { up: rest, freeGb: freeGb + freed, foreign: owners }
  const budget = service.ramGb ?? 0
  const started: Up = {
    service: service.name,
    kind: service.kind,
    port: service.port,
    busy: false,
    due: 0,
    budget,
    ...takenBy(service),
  }
  return { up: [...rest, started], freeGb: freeGb + freed - started.own, foreign: owners }
}

/** What is written is what its supervisor starts next time, in the place of what was written before. */
function promisedMore(one: Up, service: Service): Up {
  if (one.service !== service.name) return one
  const takes = takenBy(service)
  if (service.kind === 'B') {
    const budget = Math.max(one.started ?? one.budget, service.ramGb ?? 0)
    return { ...one, due: Math.max(0, budget - one.own), budget }
  }
  const due = Math.max(one.due, Math.max(0, takes.own - one.own) + Math.max(0, takes.mapped - one.mapped))
  return { ...one, due }
}

/** Seeing to what a run left undone is none. */
export function isWrite({ kind, changes }: Action): boolean {
  const beside = changes.filter(
    ({ field, to }) => field === 'record' || (to === null && ['leftover', 'key_file'].includes(field)),
  )
  return kind === 'install' || (kind === 'update' && beside.length < changes.length)
}
