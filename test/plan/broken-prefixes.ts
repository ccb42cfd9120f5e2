import type { Action } from '../../src/model/action.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import { takenBy } from '../support/taken-memory.ts'
import {
  after,
  ends,
  gib,
  isWrite,
  letsGoOn,
  type Moment,
  momentsOf,
  type Place,
  placeOf,
  serviceOf,
  type Trial,
  type Up,
} from './moments.ts'

/** What is forbidden at the moment at which the plan does it. What a person consented to is left out. */
export function brokenPrefixes(trial: Trial): readonly string[] {
  const place = placeOf(trial)
  const { actions, consented } = trial.plan
  const allowed = new Set(consented.map(({ code, service = '' }) => `${code}@${service}`))
  const { before, end } = momentsOf(place)
  return actions.flatMap((action, index) => {
    const service = serviceOf(place, action)
    if (service === undefined) return [`${action.id} is about no service`]
    const broken = faults({ action, service, place, moment: before[index] ?? end })
    return broken.filter((code) => !allowed.has(`${code}@${service.name}`)).map((code) => `${action.id} breaks ${code}`)
  })
}

/** Refusals for something that is not so once all the rest of the plan is done. */
export function untrueRefusals(trial: Trial): readonly string[] {
  const place = placeOf(trial)
  const { held_back = [], refusals } = trial.plan
  const { end } = momentsOf(place)
  return refusals.flatMap((refusal) => {
    const service = place.host.services.find((one) => one.name === refusal.service)
    const own = held_back.filter((one) => one.service === refusal.service && refusal.actions.includes(one.id))
    if (service === undefined || own.length === 0 || !provable.has(refusal.code)) return []
    const isSo = own.some((action) => faults({ action, service, place, moment: end }).includes(refusal.code))
    return isSo ? [] : [`${own.map(({ id }) => id).join(', ')} is refused for ${refusal.code}, which is not so`]
  })
}

/** Servers that are stopped so that another one could start, which is not done, and for no other. Skipped if that is unknown. */
export function vainStops(trial: Trial): readonly string[] {
  const place = placeOf(trial)
  if (unseen(place).length > 0) return []
  const { actions, held_back = [], refusals } = trial.plan
  const { start, before, end } = momentsOf(place)
  const stops = actions.filter(isFinalStop)
  // As if those that wait for the same start had been stopped too: what does not block besides them is no help.
  const refused = new Set(refusals.flatMap(({ service, actions: ids }) => ids.filter((id) => id.split('/')[1] === service)))
  const waits = held_back.filter((one) => isFinalStop(one) && !refused.has(one.id))
  const emptier = waits.reduce((moment, action) => after(place, moment, action), end)
  return stops.flatMap((stop) => {
    const server = start.up.find((up) => up.service === stop.service)
    if (server === undefined) return []
    const helps = (action: Action, moment: Moment): boolean => {
      const service = serviceOf(place, action)
      if (service === undefined || action.service === stop.service || !action.starts) return false
      const free = faults({ action, service, place, moment })
      const kept = { ...moment, up: [...moment.up, server], freeGb: moment.freeGb - server.own }
      return faults({ action, service, place, moment: kept }).some((code) => !free.includes(code))
    }
    const behind = actions.map((action, index) => ({ action, moment: before[index] ?? end })).slice(actions.indexOf(stop))
    if (behind.some(({ action, moment }) => helps(action, moment))) return []
    const waiting = held_back.filter((action) => !action.interrupts && helps(action, emptier))
    return waiting.map(({ id }) => `${stop.id} only makes room for ${id}, which is not done`)
  })
}

const isFinalStop = (one: Action) => one.interrupts && !one.starts && one.temporary === undefined

export const provable: ReadonlySet<string> = new Set([
  'CORUN.SECOND_KIND_A',
  'PORT.TAKEN',
  'MEMORY.INSUFFICIENT',
  'BUDGET.EXCEEDED',
  'WARM.RESTART',
  'SERVICE.BUSY',
  'MODEL.MISSING',
  'MODEL.INCOMPLETE',
  'KEY.MISSING',
  'PORT.DUPLICATE',
  'SESSION.NONE',
  'PRIVILEGE.MISSING',
])

interface Case {
  readonly action: Action
  readonly service: Service
  readonly place: Place
  readonly moment: Moment
}

/** Codes of what stands against it. */
export function faults(one: Case): readonly string[] {
  if (one.action.kind === 'noop') return []
  return [...ownerFaults(one), ...wishFaults(one), ...startFaults(one), ...stopFaults(one)]
}

function ownerFaults({ action, service, moment, place: { seen } }: Case): readonly string[] {
  const supervisor = { compose: seen.containers, systemd: seen.systemd, launchd: seen.launchd }[service.manager]
  const file = Object.entries(seen.definitions).find(([path]) => new RegExp(`[/.]${service.name}[/.]`).test(path))?.[1]
  if (!supervisor.known || !seen.layout.known || file?.known !== true) return ['FACT.UNKNOWN']
  if (service.manager === 'systemd' && seen.layout.value.effectiveUid !== 0) return ['PRIVILEGE.MISSING']
  if (!moment.foreign.has(service.name) || action.kind === 'adopt') return []
  return [isWrite(action) ? 'DEFINITION.FOREIGN' : 'PROCESS.FOREIGN']
}

/** Against everything that writes or starts, and against taking down what has to be started again. */
function wishFaults({ action, service, place: { host, facts, trial } }: Case): readonly string[] {
  const onlyEnds =
    (action.kind === 'stop' && action.temporary === undefined && action.momentary === undefined) || action.kind === 'remove'
  if (onlyEnds) return []
  const namesake = host.services.find((one) => one.state !== 'absent' && one.port === service.port)
  const { ports } = trial.truth.fleet.settings
  const someone = facts.layout.known ? facts.layout.value.consoleUser : undefined
  const key = trial.truth.keys.get(`${service.host}/${service.name}`)
  const isKeyless = service.key === undefined ? service.bind !== '127.0.0.1' : key?.known !== true
  return [
    ...(service.port < ports.min || ports.reserved.includes(service.port) ? ['PORT.RESERVED'] : []),
    ...(namesake !== undefined && namesake.name !== service.name ? ['PORT.DUPLICATE'] : []),
    ...(service.manager === 'launchd' && someone === null ? ['SESSION.NONE'] : []),
    ...(isKeyless ? ['KEY.MISSING'] : []),
  ]
}

function startFaults(one: Case): readonly string[] {
  const { action, service, place, moment } = one
  const others = moment.up.filter((other) => other.service !== service.name)
  const runs = others.length < moment.up.length
  const isStart = action.starts || action.momentary === true
  // A definition that is written for a running server takes effect with its next restart, whatever causes that.
  if (!isStart && !(isWrite(action) && runs && service.state === 'running')) return []
  const goesOn = letsGoOn(moment, action)
  return [
    ...(goesOn ? unseenBeside(one) : unseen(place)),
    ...modelFaults(place.seen.models[service.model.path]),
    ...(others.some(({ port }) => port === service.port) || isTaken(place.facts, service.port) ? ['PORT.TAKEN'] : []),
    ...(service.kind === 'B' && !goesOn ? budgetFaults(one, others) : []),
    ...(isStart ? roomFaults(one, others) : []),
  ]
}

export function unseen({ seen }: Place): readonly string[] {
  return seen.memory.known && seen.listeners.known && seen.residents.known ? [] : ['FACT.UNKNOWN']
}

/** It is in memory already; who else is there matters to a Kind A. */
function unseenBeside({ service, place: { seen } }: Case): readonly string[] {
  return seen.listeners.known && (service.kind === 'B' || seen.residents.known) ? [] : ['FACT.UNKNOWN']
}

function modelFaults(model: HostFacts['models'][string] | undefined): readonly string[] {
  if (model?.known !== true) return ['FACT.UNKNOWN']
  if (model.value === null) return ['MODEL.MISSING']
  return model.value.unfinished.length > 0 ? ['MODEL.INCOMPLETE'] : []
}

function isTaken(facts: HostFacts, port: number): boolean {
  return facts.listeners.known && facts.listeners.value.some((one) => one.port === port && one.process === 'nginx')
}

function totalOf({ facts }: Place): number {
  return facts.memory.known ? facts.memory.value.totalBytes / gib : 0
}

function budgetFaults({ service, place }: Case, others: readonly Up[]): readonly string[] {
  const budgets = others.filter(({ kind }) => kind === 'B').reduce((sum, { budget }) => sum + budget, service.ramGb ?? 0)
  return budgets + place.trial.truth.fleet.settings.headroomGb > totalOf(place) ? ['BUDGET.EXCEEDED'] : []
}

function roomFaults({ action, service, place, moment }: Case, others: readonly Up[]): readonly string[] {
  const { smallRamGb, headroomGb } = place.trial.truth.fleet.settings
  const freed = moment.up.filter((up) => up.service === service.name).reduce((sum, { own }) => sum + own, 0)
  const used = others.reduce((sum, up) => sum + up.mapped + up.due, 0)
  const need = takenBy(service)
  const fits = need.own + need.mapped <= moment.freeGb + freed - used - headroomGb + 0.001
  const sized =
    service.kind === 'B' || modelFaults(place.seen.models[service.model.path]).every((code) => code === 'MODEL.INCOMPLETE')
  const second = service.kind === 'A' && others.some(({ kind }) => kind === 'A')
  return [
    ...(second && totalOf(place) <= smallRamGb ? ['CORUN.SECOND_KIND_A'] : []),
    ...(fits || !sized || letsGoOn(moment, action) ? [] : ['MEMORY.INSUFFICIENT']),
  ]
}

function stopFaults(one: Case): readonly string[] {
  const { action, service, moment } = one
  const server = moment.up.find((up) => up.service === service.name)
  if (server === undefined || !ends(one.action) || letsGoOn(moment, action)) return []
  return [
    ...(server.kind === 'B' ? ['WARM.RESTART'] : []),
    ...(server.busy && action.wait_idle_s === undefined ? ['SERVICE.BUSY'] : []),
  ]
}
