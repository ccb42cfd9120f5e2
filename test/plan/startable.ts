import type { Action } from '../../src/model/action.ts'
import { faults, provable, unseen } from './broken-prefixes.ts'
import { after, isWrite, type Moment, momentsOf, type Place, placeOf, serviceOf, type Trial } from './moments.ts'

/** What is done for one service, in order, and where it may stop: after so many of its actions. */
interface Chain {
  readonly actions: readonly Action[]
  readonly rests: readonly number[]
  /** So many are planned. */
  readonly planned: number
}

/**
 * Starts that are held back, and could be done in some order beside all that is planned, by the second opinion on the rules: all orders are
 * tried. Only without approvals except for warm servers, and on hosts with few services and complete facts.
 */
export function startableAnyway(trial: Trial): readonly string[] {
  const place = placeOf(trial)
  const { held_back = [] } = trial.plan
  const allowed = leaveForAll(trial)
  if (allowed === undefined || unseen(place).length > 0 || place.host.services.length > 4) return []
  if (!held_back.some(({ starts }) => starts)) return []
  const paths = place.host.services.map(({ name }) => chainsOf(trial, name))
  const found = combined(paths).flatMap((chains) => further(place, chains, allowed))
  return [...new Set(found)].map((id) => `${id} is held back, and could be done in another order`)
}

function leaveForAll({ truth: { approvals } }: Trial): ReadonlySet<string> | undefined {
  const plain = approvals.every(({ code, service, host }) => code === 'WARM.RESTART' && service === '*' && host === undefined)
  return plain ? new Set(approvals.map(({ code }) => code)) : undefined
}

/** As it was proposed; and with a server that would be replaced in one go taken down before it. */
function chainsOf({ plan }: Trial, service: string): readonly Chain[] {
  const planned = plan.actions.filter((one) => one.service === service && one.kind !== 'noop')
  const open = (plan.held_back ?? []).filter((one) => one.service === service && one.kind !== 'host-setting')
  const why = plan.refusals.filter(({ actions }) => open.some(({ id }) => actions.includes(id))).map(({ code }) => code)
  const alone: Chain = { actions: planned, rests: [planned.length], planned: planned.length }
  // A momentary start is not desired.
  if (open.length === 0 || !why.every((code) => provable.has(code)) || open.some(({ momentary }) => momentary === true))
    return [alone]
  const ends = open.map((_, index) => planned.length + index + 1)
  const whole: Chain = { actions: [...planned, ...open], rests: [planned.length, ...ends], planned: planned.length }
  const replaces = open.find(({ interrupts, starts }) => interrupts && starts)
  if (replaces === undefined) return [whole]
  const parts = splitParts(replaces, open.find(isWrite))
  const actions = [...planned, ...parts]
  return [whole, { actions, rests: [planned.length, actions.length], planned: planned.length }]
}

function splitParts(replaces: Action, writes: Action | undefined): readonly Action[] {
  const { id } = replaces
  const stop: Action = { ...replaces, kind: 'stop', starts: false, changes: [], temporary: { makes_room_for: [], ports: [] } }
  const start: Action = { ...replaces, id, kind: 'start', interrupts: false, changes: [] }
  return [stop, ...(writes === undefined ? [] : [{ ...writes, interrupts: false, starts: false }]), start]
}

function combined(paths: readonly (readonly Chain[])[]): readonly (readonly Chain[])[] {
  return paths.reduce<readonly (readonly Chain[])[]>(
    (all, some) => all.flatMap((one) => some.map((more) => [...one, more])),
    [[]],
  )
}

/** Ids of starts that are done at a place where everything that is planned is done as well. */
function further(place: Place, chains: readonly Chain[], allowed: ReadonlySet<string>): readonly string[] {
  const { start } = momentsOf(place)
  const seen = new Set<string>()
  const found: string[] = []
  const visit = (at: readonly number[], moment: Moment): void => {
    const key = at.join(' ')
    if (seen.has(key)) return
    seen.add(key)
    if (chains.every(({ rests, planned }, index) => rests.includes(at[index] ?? 0) && (at[index] ?? 0) >= planned)) {
      const more = chains.flatMap(({ actions, planned }, index) => actions.slice(planned, at[index]))
      found.push(...more.filter(({ starts }) => starts).map(({ id }) => id))
    }
    for (const [index, { actions }] of chains.entries()) {
      const action = actions[at[index] ?? 0]
      const service = action === undefined ? undefined : serviceOf(place, action)
      if (action === undefined || service === undefined) continue
      if (faults({ action, service, place, moment }).some((code) => !allowed.has(code))) continue
      visit(at.with(index, (at[index] ?? 0) + 1), after(place, moment, action))
    }
  }
  visit(
    chains.map(() => 0),
    start,
  )
  return found
}
