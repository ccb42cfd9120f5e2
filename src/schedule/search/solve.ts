import { mayHaveMore } from '../../simulate/simulate.ts'
import { SearchCut, spend } from './budget.ts'
import { neededByEach } from './caps.ts'
import { coreOf } from './core.ts'
import { type Allowance, createFinder, type Finder } from './find-order.ts'
import { leastDowntime } from './least-downtime.ts'
import { partOf } from './part-of.ts'
import { consentsFor, type Goals, type Move, type Spot, type Walk } from './walk.ts'

export interface Question {
  /** Where it begins. */
  readonly from: Spot
  readonly goals: Goals
  /** Whether consents that people gave count. */
  readonly leave: boolean
}

export interface Solution {
  readonly moves: readonly Move[]
  /** The services in question could not do with fewer consents, nor with fewer of them down for a while, wherever it began. */
  readonly frugal: boolean
}

/**
 * The best order in which all that the goals ask for is done: with the fewest consents, then with the fewest servers taken down for
 * a while, then with the least downtime, then first by rank. Undefined: there is none.
 */
export function solve(walk: Walk, question: Question): Solution | undefined {
  spend(walk.world.budget)
  if (endsBadly(walk, question)) return undefined
  const finder = createFinder(walk, question.goals)
  const some = fewestSplits(finder, question)
  if (some === undefined) return undefined
  try {
    return improved(finder, question, some)
  } catch (error) {
    if (!(error instanceof SearchCut)) throw error
    return { moves: some.moves, frugal: false }
  }
}

/** What was found is an order; this is the best one. */
function improved(finder: Finder, question: Question, some: Found): Solution {
  const { walk } = finder
  const { splits, least, moves } = some
  const allowance = question.leave ? fewestConsents(finder, question.from, some) : { consents: 0, splits }
  const best = allowance.splits === 0 ? finder.find(question.from, allowance) : leastDowntime(finder, question.from, allowance)
  const needed = question.leave ? neededByEach(walk, question.goals, question.from) : 0
  return { moves: best ?? moves, frugal: allowance.splits === least && allowance.consents === needed }
}

/** In whatever order, one server takes its place last, and finds all the others as they will be: one of them has to be allowed then. */
function endsBadly(walk: Walk, { from, goals, leave }: Question): boolean {
  const last = walk.world.tracks.flatMap((_, index) => {
    const spot = lastTaking(walk, goals, index, from.places[index]?.step ?? 0)
    if (spot === undefined) return []
    const moves = walk.moves(spot, goals).filter(({ splits }) => splits === false)
    return [moves.length === 0 || moves.some((move) => consentsFor(walk, spot, move, leave) !== undefined)]
  })
  return last.length > 0 && !last.includes(true)
}

/** Where all the others are as they will be, and of one track only what takes nothing comes behind the next step. */
function lastTaking(walk: Walk, goals: Goals, index: number, from: number): Spot | undefined {
  const { service = '', steps = [] } = walk.world.tracks[index] ?? {}
  for (let step = (goals[index] ?? 0) - 1; step >= from; step -= 1) {
    const spot = walk.spotAt(goals.with(index, step))
    const after = walk.spotAt(goals.with(index, step + 1))
    if (steps[step]?.action.starts === true || mayHaveMore(service, spot.state, after.state)) return spot
  }
  return undefined
}

interface Found {
  readonly moves: readonly Move[]
  readonly splits: number
  /** Fewer are not enough even for those that stand in each other's way, if nobody else were there. */
  readonly least: number
}

/** Proved first on the few services that stand in each other's way: what they cannot do alone they cannot do among the others. */
function fewestSplits(finder: Finder, question: Question): Found | undefined {
  const { walk, goals } = finder
  const consents = question.leave ? Number.MAX_SAFE_INTEGER : 0
  const core = coreOf(walk, question)
  const part = core === undefined ? undefined : partOf(walk, goals, (service) => core.has(service))
  const alone = part === undefined ? undefined : createFinder(part.walk, part.goals)
  const tried: number[] = []
  for (let splits = 0; splits <= splittable(walk, goals); splits += 1) {
    if (alone !== undefined && alone.find(alone.walk.root, { consents, splits }) === undefined) continue
    tried.push(splits)
    const moves = finder.find(question.from, { consents, splits })
    if (moves !== undefined) return { splits, moves, least: Math.min(...tried) }
  }
  return undefined
}

/** Who is taken down for a while may save a consent, and that is worth it. */
function fewestConsents(finder: Finder, from: Spot, { splits, moves }: Found): Allowance {
  const { walk, goals } = finder
  const used = consentsOf(walk, from, moves)
  const all = splittable(walk, goals)
  for (let consents = neededByEach(walk, goals, from); consents < used; consents += 1) {
    if (finder.find(from, { consents, splits: all }) === undefined) continue
    for (let some = 0; some <= all; some += 1) {
      if (finder.find(from, { consents, splits: some }) !== undefined) return { consents, splits: some }
    }
  }
  return { consents: used, splits }
}

export function consentsOf(walk: Walk, from: Spot, moves: readonly Move[]): number {
  let spot = from
  let sum = 0
  for (const move of moves) {
    sum += walk.judge(spot, move).refusals.length
    spot = walk.go(spot, move)
  }
  return sum
}

/** How many servers could be taken down for a while, each once. */
function splittable({ world }: Walk, goals: Goals): number {
  return world.tracks.filter(({ steps }, index) => steps.slice(0, goals[index]).some(({ pieces }) => pieces !== undefined)).length
}
