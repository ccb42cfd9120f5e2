import { globMatches } from '../../lib/glob.ts'
import type { Consent } from '../../model/playbook.ts'
import { mayHaveMore } from '../../simulate/simulate.ts'
import { type Candidate, comesBack } from '../schedule.ts'
import { endless, SearchCut } from './budget.ts'
import { capsOf, neededByEach } from './caps.ts'
import { choices } from './choices.ts'
import { blockers, goOn } from './core.ts'
import { partOf, withoutServices } from './part-of.ts'
import { consentsOf, solve } from './solve.ts'
import { consentsFor, createWalk, type Goals, type Move, type Track, type Walk, type World } from './walk.ts'

export interface Schedule {
  readonly moves: readonly Move[]
  readonly tracks: readonly Track[]
  /** How many steps of each track it does. */
  readonly goals: Goals
  /** The budget was spent before everything was tried. */
  readonly cut: boolean
}

/**
 * What can be done, and in which order. First always the next best action that every rule allows; where that leaves something open,
 * another order is looked for in which it is done as well, and nothing that is done already is given up for it. Leave that people
 * gave counts only after that, one consent after the other: each adds to what is done without it and takes nothing from it.
 */
export function growSchedule(world: World): Schedule {
  const walks: Walks = { walk: createWalk(world), freely: createWalk({ ...world, budget: endless }) }
  const free = grown(walks, undefined, false)
  return world.court.leave.consents.reduce((best, consent, index) => {
    const tracks = countingFor(best, index + 1)
    return mayAdd(consent, openIn(best)) ? grownByLeave(withTracks(walks, tracks), best) : { ...best, tracks }
  }, free)
}

/** Of one world, so that nothing is judged twice. */
interface Walks {
  readonly walk: Walk
  /** Whatever it takes. */
  readonly freely: Walk
}

/** With other consents that count. */
function withTracks({ walk, freely }: Walks, tracks: readonly Track[]): Walks {
  const having = (one: Walk): Walk => ({ ...one, world: { ...one.world, tracks } })
  return { walk: having(walk), freely: having(freely) }
}

/**
 * Whether a consent may add to what is done without it: it is about somebody who is not as wanted, or about others beside one who was
 * up and does not come back.
 */
export function mayAdd({ service }: Consent, open: readonly Candidate[]): boolean {
  return open.some((candidate) => globMatches(service, candidate.subject.service.name) || comesBack(candidate))
}

function openIn({ tracks, goals }: Schedule): readonly Candidate[] {
  return tracks.flatMap(({ steps }, index) => steps.slice(goals[index]))
}

/** What is done by the consents before needs no more of them; for the rest so many count. */
function countingFor({ tracks, goals }: Schedule, consents: number): readonly Track[] {
  return tracks.map((track, index) => {
    const done = goals[index] ?? 0
    return { ...track, consents: track.steps.map((_, step) => (step < done ? (track.consents?.[step] ?? 0) : consents)) }
  })
}

/**
 * Who was up comes back, if need be by leave that somebody else could do without by now: what a run took down by leave, and was cut off
 * before it started it again, is not left down for it.
 */
function grownByLeave(walks: Walks, before: Schedule): Schedule {
  const more = grownWith(walks, before)
  const down = downIn(more)
  if (down === 0) return more
  const { tracks, court } = walks.walk.world
  const all = court.leave.consents.length
  const counting = tracks.map((track) => ({ ...track, consents: track.steps.map(() => all) }))
  const back = grownWith(withTracks(walks, counting), more)
  return downIn(back) < down ? back : more
}

/** How many stay down that were up. */
function downIn(schedule: Schedule): number {
  return openIn(schedule).filter(comesBack).length
}

function grownWith(walks: Walks, before: Schedule): Schedule {
  const more = grown(walks, before, true)
  return { ...more, tracks: walks.walk.world.tracks, cut: before.cut || more.cut }
}

/** Where the search was cut short, nobody has looked yet for what is allowed where it ends: then no refusal would say why that waits. */
function grown(walks: Walks, before: Schedule | undefined, leave: boolean): Schedule {
  const found = grow(walks.walk, greedy(walks, before, leave), leave)
  return found.cut ? { ...greedy(walks, found, leave), cut: true } : found
}

/** What was found before stands, and goes on from where it ends. */
function greedy({ freely }: Walks, before: Schedule | undefined, leave: boolean): Schedule {
  const { tracks } = freely.world
  const all = tracks.map(({ steps }) => steps.length)
  const from = before === undefined ? freely.root : freely.spotAt(before.goals)
  const { moves, spot } = goOn(freely, from, all, leave)
  return { moves: [...(before?.moves ?? []), ...moves], goals: spot.places.map(({ step }) => step), tracks, cut: false }
}

function grow(walk: Walk, first: Schedule, leave: boolean): Schedule {
  let best = first
  try {
    if (takesMore(walk, best, leave)) best = anew(walk, best.goals, leave) ?? best
    if (isWhole(walk, best.goals)) return best
    const caps = capsOf(walk, leave)
    for (let more = grownOnce(walk, best, caps, leave); more !== undefined; more = grownOnce(walk, best, caps, leave)) best = more
    return best
  } catch (error) {
    if (error instanceof SearchCut) return { ...best, cut: true }
    throw error
  }
}

/** It takes more leave than each service would alone: in another order, or while one of them is down for a while, less may do. */
function takesMore(walk: Walk, { moves, goals }: Schedule, leave: boolean): boolean {
  return leave && consentsOf(walk, walk.root, moves) > neededByEach(walk, goals, walk.root)
}

function isWhole({ world }: Walk, goals: Goals): boolean {
  return world.tracks.every(({ steps }, index) => steps.length === goals[index])
}

/** The first of these that can be done beside what is done: one more service, else as many as possible of those that need each other. */
function grownOnce(walk: Walk, best: Schedule, caps: Goals, leave: boolean): Schedule | undefined {
  const { goals } = best
  const open = goals.flatMap((goal, index) => ((caps[index] ?? 0) > goal ? [index] : []))
  for (const index of open) {
    for (let goal = caps[index] ?? 0; goal > (goals[index] ?? 0); goal -= 1) {
      const raised = goals.with(index, goal)
      const schedule = isBarred(walk, best, raised, leave) ? undefined : anew(walk, raised, leave)
      if (schedule !== undefined) return schedule
    }
  }
  for (const some of groups(walk, goals, helpable(walk, goals, open, leave))) {
    const raised = goals.map((goal, index) => (some.includes(index) ? (caps[index] ?? goal) : goal))
    const schedule = added(walk, best, raised, leave) ?? anew(walk, raised, leave)
    if (schedule !== undefined) return schedule
  }
  return undefined
}

/** One of those in whose way it stands would be in its way even if nobody else were there, and nothing is to become of that one. */
function isBarred(walk: Walk, best: Schedule, goals: Goals, leave: boolean): boolean {
  const spot = walk.spotAt(best.goals)
  return walk.moves(spot, goals).some((move) => {
    const own = move.candidate.subject.service.name
    return blockers(walk, spot, move).some((other) => {
      const { walk: pair, goals: both } = partOf(walk, goals, (service) => service === own || service === other)
      return solve(pair, { from: pair.root, goals: both, leave }) === undefined
    })
  })
}

function anew(walk: Walk, goals: Goals, leave: boolean): Schedule | undefined {
  const found = solve(walk, { from: walk.root, goals, leave })
  return found === undefined ? undefined : { moves: found.moves, goals, tracks: walk.world.tracks, cut: false }
}

/** Behind what is done already, where that costs no more than it would anywhere: then nothing has to be turned over for it. */
function added(walk: Walk, best: Schedule, goals: Goals, leave: boolean): Schedule | undefined {
  if (takesMore(walk, best, leave)) return undefined
  const found = solve(walk, { from: walk.spotAt(best.goals), goals, leave })
  return found?.frugal === true ? { ...best, moves: [...best.moves, ...found.moves], goals } : undefined
}

/**
 * Those that would be allowed if the others of them were out of the way, and who was promised more; there is no help for the rest. What
 * somebody is promised can be written behind them.
 */
function helpable(walk: Walk, goals: Goals, open: readonly number[], leave: boolean): readonly number[] {
  const spot = walk.spotAt(goals)
  const { tracks } = walk.world
  const names = tracks.flatMap(({ service }, index) =>
    open.includes(index) || mayHaveMore(service, walk.root.state, spot.state) ? [service] : [],
  )
  const helped = open.filter((index) => {
    const own = walk.world.tracks[index]?.service
    const others = names.filter((name) => name !== own)
    const free = withoutServices(spot, others)
    const moves = walk.moves(free, onwards(walk, goals, index)).filter(({ splits }) => splits !== 'by choice')
    return moves.some((move) => consentsFor(walk, free, move, leave) !== undefined)
  })
  return helped.length === open.length ? helped : helpable(walk, goals, helped, leave)
}

/** What one of them goes on with, and no other. */
function onwards({ world }: Walk, goals: Goals, index: number): Goals {
  return goals.with(index, world.tracks[index]?.steps.length ?? 0)
}

/** Those that stand in each other's way, as many together as possible; two at least. */
function* groups(walk: Walk, goals: Goals, helped: readonly number[]): Generator<readonly number[]> {
  const told = new Set<string>()
  for (const first of helped) {
    const group = groupOf(walk, goals, helped, [first])
    const name = group.join(' ')
    if (told.has(name)) continue
    told.add(name)
    for (let size = group.length; size > 1; size -= 1) yield* choices(group, size)
  }
}

/** Who waits for whom, and for whom those wait in turn; in order. */
function groupOf(walk: Walk, goals: Goals, helped: readonly number[], group: readonly number[]): readonly number[] {
  const spot = walk.spotAt(goals)
  const names = group.flatMap((index) => {
    const moves = walk.moves(spot, onwards(walk, goals, index))
    return moves.filter(({ splits }) => splits !== 'by choice').flatMap((move) => blockers(walk, spot, move))
  })
  const wider = helped.filter((index) => group.includes(index) || names.includes(walk.world.tracks[index]?.service ?? ''))
  return wider.length === group.length ? wider : groupOf(walk, goals, helped, wider)
}
