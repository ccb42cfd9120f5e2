import { mayHaveMore } from '../../simulate/simulate.ts'
import { SearchCut, spend } from './budget.ts'
import { neededByEach } from './caps.ts'
import { coreOf } from './core.ts'
import { type Allowance, createFinder, type Finder } from './find-order.ts'
import { leastDowntime } from './least-downtime.ts'
import { partOf } from './part-of.ts'
import { approvalsFor, type Goals, type Move, type Search, type SearchNode } from './search.ts'

export interface Question {
  /** Where it begins. */
  readonly from: SearchNode
  readonly goals: Goals
  /** Whether approvals that people gave count. */
  readonly byApproval: boolean
}

export interface Solution {
  readonly moves: readonly Move[]
  /** The services in question could not do with fewer approvals, nor with fewer of them down for a while, wherever it began. */
  readonly frugal: boolean
}

/**
 * The best order in which all that the goals ask for is done: with the fewest approvals, then with the fewest servers taken down for
 * a while, then with the least downtime, then first by rank. Undefined: there is none.
 */
export function solve(search: Search, question: Question): Solution | undefined {
  spend(search.problem.budget)
  if (endsBadly(search, question)) return undefined
  const finder = createFinder(search, question.goals)
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
  const { search } = finder
  const { splits, least, moves } = some
  const allowance = question.byApproval ? fewestApprovals(finder, question.from, some) : { approvals: 0, splits }
  const best = allowance.splits === 0 ? finder.find(question.from, allowance) : leastDowntime(finder, question.from, allowance)
  const needed = question.byApproval ? neededByEach(search, question.goals, question.from) : 0
  return { moves: best ?? moves, frugal: allowance.splits === least && allowance.approvals === needed }
}

/** In whatever order, one server takes its place last, and finds all the others as they will be: one of them has to be allowed then. */
function endsBadly(search: Search, { from, goals, byApproval }: Question): boolean {
  const last = search.problem.queues.flatMap((_, index) => {
    const node = lastTaking(search, goals, index, from.places[index]?.step ?? 0)
    if (node === undefined) return []
    const moves = search.moves(node, goals).filter(({ splits }) => splits === false)
    return [moves.length === 0 || moves.some((move) => approvalsFor(search, node, move, byApproval) !== undefined)]
  })
  return last.length > 0 && !last.includes(true)
}

/** Where all the others are as they will be, and of one queue only what takes nothing comes behind the next step. */
function lastTaking(search: Search, goals: Goals, index: number, from: number): SearchNode | undefined {
  const { service = '', steps = [] } = search.problem.queues[index] ?? {}
  for (let step = (goals[index] ?? 0) - 1; step >= from; step -= 1) {
    const node = search.nodeAt(goals.with(index, step))
    const after = search.nodeAt(goals.with(index, step + 1))
    if (steps[step]?.action.starts === true || mayHaveMore(service, node.state, after.state)) return node
  }
  return undefined
}

interface Found {
  readonly moves: readonly Move[]
  readonly splits: number
  /** Fewer are not enough even for those that block each other, if nothing else were there. */
  readonly least: number
}

/** Proved first on the few services that block each other: what they cannot do alone they cannot do among the others. */
function fewestSplits(finder: Finder, question: Question): Found | undefined {
  const { search, goals } = finder
  const approvals = question.byApproval ? Number.MAX_SAFE_INTEGER : 0
  const core = coreOf(search, question)
  const part = core === undefined ? undefined : partOf(search, goals, (service) => core.has(service))
  const alone = part === undefined ? undefined : createFinder(part.search, part.goals)
  const tried: number[] = []
  for (let splits = 0; splits <= splittable(search, goals); splits += 1) {
    if (alone !== undefined && alone.find(alone.search.root, { approvals, splits }) === undefined) continue
    tried.push(splits)
    const moves = finder.find(question.from, { approvals, splits })
    if (moves !== undefined) return { splits, moves, least: Math.min(...tried) }
  }
  return undefined
}

/** Who is taken down for a while may save an approval, and that is worth it. */
function fewestApprovals(finder: Finder, from: SearchNode, { splits, moves }: Found): Allowance {
  const { search, goals } = finder
  const used = approvalsOf(search, from, moves)
  const all = splittable(search, goals)
  for (let approvals = neededByEach(search, goals, from); approvals < used; approvals += 1) {
    if (finder.find(from, { approvals, splits: all }) === undefined) continue
    for (let some = 0; some <= all; some += 1) {
      if (finder.find(from, { approvals, splits: some }) !== undefined) return { approvals, splits: some }
    }
  }
  return { approvals: used, splits }
}

export function approvalsOf(search: Search, from: SearchNode, moves: readonly Move[]): number {
  let node = from
  let sum = 0
  for (const move of moves) {
    sum += search.judge(node, move).refusals.length
    node = search.go(node, move)
  }
  return sum
}

/** How many servers could be taken down for a while, each once. */
function splittable({ problem }: Search, goals: Goals): number {
  return problem.queues.filter(({ steps }, index) => steps.slice(0, goals[index]).some(({ pieces }) => pieces !== undefined))
    .length
}
