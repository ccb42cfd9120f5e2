import type { Action } from '../../src/model/action.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Host, Service } from '../../src/model/fleet.ts'
import type { HttpFact } from '../../src/model/http-fact.ts'
import type { HostPlan } from '../../src/model/plan.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { factsOf } from '../support/fleet-input.ts'
import { pidOf } from '../support/simulated-pid.ts'
import { heldBy, type Taken, takenBy } from '../support/taken-memory.ts'

/**
 * A plan before a second opinion on the safety rules, which was written without looking at theirs: the actions are done one by one on a
 * list of running servers, and what the specification forbids is told.
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

/** What runs; a stranger has no name. */
export interface Up extends Taken {
  readonly service: string | undefined
  readonly kind: 'A' | 'B'
  readonly port: number | undefined
  readonly busy: boolean
}

export interface Moment {
  readonly up: readonly Up[]
  readonly freeGb: number
  /** Services whose definition is somebody else's. */
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

function beginning({ host, facts }: Place): Moment {
  const residents = facts.residents.known ? facts.residents.value : []
  const own = host.services.flatMap((service): readonly Up[] => {
    const process = residents.find((one) => one.pid === pidOf(service))
    if (process === undefined) return []
    const http = facts.http[service.name]
    const busy = http?.known === true && isBusy(service.kind, http.value)
    return [{ service: service.name, kind: service.kind, port: process.port, busy, ...heldBy(facts, service) }]
  })
  const strangers = residents
    .filter(({ pid }) => pid >= 70_000 && pid < 71_000)
    .map(({ rssBytes }): Up => {
      return { service: undefined, kind: 'A', port: undefined, busy: false, own: 0, mapped: rssBytes / gib }
    })
  return {
    up: [...own, ...strangers],
    freeGb: facts.memory.known ? facts.memory.value.availableBytes / gib : 0,
    foreign: new Set(host.services.filter((one) => isForeign(facts, one)).map((one) => one.name)),
  }
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

export function ends(action: Action): boolean {
  return action.interrupts || action.starts || action.kind === 'stop' || action.kind === 'remove'
}

export function after(place: Place, moment: Moment, action: Action): Moment {
  const service = serviceOf(place, action)
  return service === undefined ? moment : later(moment, action, service)
}

function later({ up, freeGb, foreign }: Moment, action: Action, service: Service): Moment {
  const owners = new Set([...foreign].filter((name) => name !== service.name || !isWrite(action)))
  if (!ends(action)) return { up, freeGb, foreign: owners }
  const rest = up.filter((one) => one.service !== service.name)
  const freed = up.filter((one) => one.service === service.name).reduce((sum, { own }) => sum + own, 0)
  if (!action.starts) return { up: rest, freeGb: freeGb + freed, foreign: owners }
  const started: Up = { service: service.name, kind: service.kind, port: service.port, busy: false, ...takenBy(service) }
  return { up: [...rest, started], freeGb: freeGb + freed - started.own, foreign: owners }
}

/** Seeing to what a run left undone is none. */
export function isWrite({ kind, changes }: Action): boolean {
  return kind === 'install' || (kind === 'update' && changes.some(({ field, to }) => to !== null && field !== 'record'))
}
