import { stableJson } from '../../src/lib/stable-json.ts'
import type { Action } from '../../src/model/action.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import type { HostPlan, Plan } from '../../src/model/plan.ts'
import { type PlanInput, planFleet } from '../../src/plan/plan-fleet.ts'
import type { FleetLot } from '../support/arbitrary-fleet.ts'
import { asSeen, factsOf, fleetInput, olderKey } from '../support/fleet-input.ts'
import { done, doneUntil } from '../support/fleet-run.ts'
import { soundKey } from '../support/scenario.ts'
import { pidOf } from '../support/simulated-pid.ts'
import { brokenPrefixes, untrueRefusals, vainStops } from './broken-prefixes.ts'
import { startableAnyway } from './startable.ts'
import type { Tally } from './tally.ts'
import { unlikeFresh } from './unlike-fresh.ts'
import { closedWaysOut } from './ways-out.ts'

/** A fleet, its plan, and what is behind both. */
interface Run {
  readonly lot: FleetLot
  readonly truth: PlanInput
  readonly plan: Plan
}

/** What is wrong with the plan of a fleet that is then done to its end; empty: nothing. */
export function brokenWhenDone(lot: FleetLot, tally: Tally): readonly string[] {
  const run = planned(fleetInput(lot), lot)
  tally.count(run.truth, run.plan)
  const json = JSON.stringify(run.plan)
  const open = [soundKey, olderKey].filter((key) => json.includes(key)).map(() => 'a key is in the plan')
  const closed = closedWaysOut(asSeen(run.truth, lot), run.plan, 1)
  return [...open, ...faultsOfPlan(run), ...closed, ...faultsOfLeave(run, tally), ...otherwiseLater(run), ...faultsOfOutcome(run)]
}

/** The same where the run is cut off, and the next one goes on. */
export function brokenWhenCut(lot: FleetLot, share: number, tally: Tally): readonly string[] {
  const first = planned(fleetInput(lot), lot)
  const cut = planned(doneUntil(first.truth, first.plan, share), lot)
  tally.count(cut.truth, cut.plan)
  return [...faultsOfPlan(cut), ...faultsOfOutcome(cut), ...lostByTheCut(first, cut)]
}

function planned(truth: PlanInput, lot: FleetLot): Run {
  return { lot, truth, plan: planFleet(asSeen(truth, lot)) }
}

function faultsOfPlan({ lot, truth, plan }: Run): readonly string[] {
  const seen = asSeen(truth, lot)
  return plan.hosts.flatMap((host) => {
    const trial = { truth, seen, plan: host }
    const vain = vainStops(trial).filter((words) => !isDoneAnyway(words, truth, lot))
    const wrong = [...brokenPrefixes(trial), ...untrueRefusals(trial), ...startableAnyway(trial), ...vain]
    return [...wrong, ...unaccounted(truth, host), ...inVain(host)]
  })
}

/** Leave takes nothing away, so what is stopped without it is stopped with it. */
function isDoneAnyway(words: string, truth: PlanInput, lot: FleetLot): boolean {
  if (lot.approvals.length === 0) return false
  const without = planFleet(asSeen({ ...truth, approvals: [] }, lot))
  return without.hosts.flatMap(idsOf).some((id) => words.startsWith(`${id} `))
}

/** Every selected service is reported; a refusal names every action that is held back, and none that is done. */
function unaccounted({ fleet, selection }: PlanInput, { host, actions, held_back = [], refusals }: HostPlan): readonly string[] {
  const services = fleet.hosts.flatMap((one) => one.services).filter((one) => one.host === host)
  const named = new Set(refusals.flatMap((refusal) => refusal.actions))
  const mentioned = new Set([...actions, ...held_back, ...refusals].map((one) => one.service))
  const selected = (service: string) => selection.pairs?.has(`${host}/${service}`) === true
  const wanted = new Set(services.filter(({ state }) => state === 'running').map(({ name }) => name))
  return [
    ...held_back.filter(({ id }) => !named.has(id)).map(({ id }) => `${id} is held back without a reason`),
    ...actions.filter(({ id }) => named.has(id)).map(({ id }) => `${id} is done although it is refused`),
    ...services
      .filter(({ name }) => selected(name) !== mentioned.has(name))
      .map(({ name }) => `${name} is reported when it should not, or not reported`),
    ...[...actions, ...held_back]
      .filter(({ starts, service }) => starts && !wanted.has(service))
      .map(({ id }) => `${id} starts what should not run`),
    ...refusals.flatMap((refusal) => unselectedIn(host, refusal.service, refusal.actions)),
  ]
}

/** A refusal takes along its own service, or what would only make room for that. */
function unselectedIn(host: string, service: string | undefined, actions: readonly string[]): readonly string[] {
  return actions
    .filter((id) => !id.startsWith(`${host}/${service}/`) && !/\/(stop|remove|install|update)$/.test(id))
    .map((id) => `${id} is held back by a refusal of ${service}`)
}

/** Nothing is stopped for the sake of a start that is not done. */
function inVain(plan: HostPlan): readonly string[] {
  const { actions } = plan
  const ids = new Set(actions.map(({ id }) => id))
  const quick = new Set(momentaryIn(plan))
  return actions.flatMap((action, index) => {
    if (action.temporary === undefined) return []
    const returns = actions.slice(index).some(({ service, starts }) => service === action.service && starts)
    const rooms = action.temporary.makes_room_for
    const missing = rooms.filter((id) => !ids.has(id))
    return [
      ...(returns ? [] : [`${action.id} is to be down for a while and does not come back`]),
      ...missing.map((id) => `${action.id} makes room for ${id}, which is not done`),
      ...(rooms.every((id) => quick.has(id)) ? [`${action.id} makes room for no server that stays up`] : []),
    ]
  })
}

/** Actions that start a server for a moment. */
function momentaryIn({ actions }: HostPlan, ids?: readonly string[]): readonly string[] {
  return actions.filter(({ id, momentary }) => momentary === true && ids?.includes(id) !== false).map(({ id }) => id)
}

/** The same input gives the same plan; leave only adds to what is done without it, and changes nothing where it is not used. */
function faultsOfLeave({ lot, truth, plan }: Run, tally: Tally): readonly string[] {
  // Where there is no leave, one fleet in three is planned twice.
  if (lot.approvals.length === 0 && lot.headroomGb === undefined) return []
  const without = planFleet(asSeen({ ...truth, approvals: [] }, lot))
  if (lot.approvals.length === 0) return without.digest === plan.digest ? [] : ['the same input gave two plans']
  const codes = new Set(truth.approvals.map(({ code }) => code))
  return plan.hosts.flatMap((host, index) => {
    const before = without.hosts[index]
    if (before === undefined) return [`${host.host} is in one plan alone`]
    tally.compared(host, before)
    const wrong = host.consented.filter(({ code, consentable }) => !codes.has(code) || !consentable)
    const ids = idsOf(host)
    const gone = idsOf(before).filter((id) => !ids.includes(id))
    const other = host.consented.length > 0 ? [] : changedWithoutLeave(host, before)
    return [
      ...wrong.map(({ code }) => `approvals was used for ${code}, and was not given`),
      ...gone.map((id) => `${id} is no longer done because of approvals`),
      ...other.map((id) => `${id} is planned otherwise although no approvals was used`),
      ...host.consented.flatMap(({ code, actions }) =>
        momentaryIn(host, actions).map((id) => `${id} is done by approvals for ${code}`),
      ),
    ]
  })
}

/** Which stop waits with a start that is refused may depend on what leave could have been used for; nothing else may. */
function changedWithoutLeave(host: HostPlan, before: HostPlan): readonly string[] {
  const [ids, others] = [idsOf(host), idsOf(before)]
  const held = [...(host.held_back ?? []), ...(before.held_back ?? [])]
  const waits = new Set(held.filter((one) => one.interrupts && !one.starts).map(({ service }) => service))
  const changed = [...ids.filter((id) => !others.includes(id)), ...others.filter((id) => !ids.includes(id))]
  return changed.filter((id) => !waits.has(id.split('/')[1] ?? ''))
}

function idsOf({ actions }: HostPlan): readonly string[] {
  return actions.filter(({ kind }) => kind !== 'noop').map(({ id }) => id)
}

/** A run plans again before it acts, and may do what was shown: that is the same, split in the same way. */
function otherwiseLater({ lot, truth, plan }: Run): readonly string[] {
  const shown = plan.hosts.flatMap(idsOf)
  if (!plan.hosts.some(({ actions }) => actions.some(({ temporary }) => temporary !== undefined))) return []
  const again = planFleet(asSeen({ ...truth, selection: { ...truth.selection, agreed: new Set(shown) } }, lot))
  const now = again.hosts.flatMap(idsOf)
  return now.join() === shown.join() ? [] : [`${shown.join(', ')} was shown, and ${now.join(', ')} is planned before it is done`]
}

/** What is done is as on a host where it was done from nothing, and is not planned again. */
function faultsOfOutcome({ lot, truth, plan }: Run): readonly string[] {
  const after = done(truth, plan)
  const again = planFleet(asSeen(after, lot))
  return plan.hosts.flatMap((host, index) => {
    const finished = finishedServices(truth, host)
    const more = again.hosts[index]?.actions.filter(({ kind }) => kind !== 'noop') ?? []
    return [
      ...more
        .filter((one) => finished.has(one.service) || host.actions.some((other) => isSame(one, other)))
        .map(({ id }) => `${id} is planned again after it was done`),
      ...truth.fleet.hosts
        .flatMap((one) => one.services)
        .filter((one) => one.host === host.host && finished.has(one.name) && !isAdopted(after, one))
        .flatMap((service) => unlikeFresh(after, service)),
    ]
  })
}

/** What a person wrote stays as it is. */
function isAdopted(input: PlanInput, { host, name }: Service): boolean {
  const { applied } = factsOf(input, host)
  return applied.known && applied.value[name]?.adopted === true
}

/** Where something else of its service was refused, that it was done has to be seen all the same. */
function isSame({ id, changes }: Action, other: Action): boolean {
  return id === other.id && stableJson(changes) === stableJson(other.changes)
}

/** Services of which nothing was held back or left undecided. */
function finishedServices({ selection }: PlanInput, { host, actions, held_back = [], refusals }: HostPlan): ReadonlySet<string> {
  const open = new Set([...held_back, ...refusals].map((one) => one.service))
  const acted = actions.map((action) => action.service).filter((service) => !open.has(service))
  return new Set(acted.filter((service) => selection.pairs?.has(`${host}/${service}`) === true))
}

/**
 * A server that ran before and is desired, and would run without an interruption, runs in the end. One that was only replaced by approval has to
 * see what leave is left for: it counts after all that can be done without it.
 */
function lostByTheCut(first: Run, cut: Run): readonly string[] {
  const byLeave = new Set(first.plan.hosts.flatMap(({ host, consented }) => consented.map(({ service }) => `${host}/${service}`)))
  const uncut = done(first.truth, first.plan)
  const end = done(cut.truth, cut.plan)
  return first.truth.fleet.hosts.flatMap((host, index) => {
    // Whether its port is free again is not known where containers may publish it.
    if (first.lot.hosts[index]?.blind === 'containers') return []
    const [before, wanted, now] = [first.truth, uncut, end].map((input) => factsOf(input, host.name))
    return host.services
      .filter((one) => one.state === 'running' && !byLeave.has(`${one.host}/${one.name}`))
      .filter((one) => isUp(before, one) && isUp(wanted, one) && !isUp(now, one))
      .map(({ name }) => `${host.name}/${name} ran before, and is down after the run that follows the cut`)
  })
}

function isUp(facts: HostFacts | undefined, service: Service): boolean {
  return facts?.residents.known === true && facts.residents.value.some(({ pid }) => pid === pidOf(service))
}
