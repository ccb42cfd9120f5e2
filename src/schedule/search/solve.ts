import { mayHaveMore } from '../../simulate/simulate.ts'
import { SearchCut, spend } from './budget.ts'
import { neededByEach } from './caps.ts'
import { coreOf } from './core.ts'
import { type Allowance, createFinder, type Finder } from './find-order.ts'
import { leastDowntime } from './least-downtime.ts'
import { partOf } from './part-of.ts'
import { approvalsFor, type Goals, type Move, type Search, type SearchNode } from './search.ts'

export interface SolveRequest {
  readonly from: SearchNode
  readonly goals: Goals
  /** Whether approvals count. */
  readonly byApproval: boolean
}

export interface Solution {
  readonly moves: readonly Move[]
  /** No order, from any node, needs fewer approvals or temporary stops. */
  readonly frugal: boolean
}

/**
 * The best order that reaches the goals: with the fewest approvals, then the fewest temporary stops, then the least downtime, then the first by
 * rank. Undefined: there is none.
 */
export function solve(search: Search, request: SolveRequest): Solution | undefined {
  spend(search.problem.budget)
  if (hasNoEnd(search, request)) return undefined
  const finder = createFinder(search, request.goals)
  const some = fewestSplits(finder, request)
  if (some === undefined) return undefined
  try {
    return improved(finder, request, some)
  } catch (error) {
    if (!(error instanceof SearchCut)) throw error
    return { moves: some.moves, frugal: false }
  }
}

/** The best order, given that one exists. */
function improved(finder: Finder, request: SolveRequest, some: FoundOrder): Solution {
  const { search } = finder
  const { splits, least, moves } = some
  const allowance = request.byApproval ? fewestApprovals(finder, request.from, some) : { approvals: 0, splits }
  const best = allowance.splits === 0 ? finder.find(request.from, allowance) : leastDowntime(finder, request.from, allowance)
  const needed = request.byApproval ? neededByEach(search, request.goals, request.from) : 0
  return { moves: best ?? moves, frugal: allowance.splits === least && allowance.approvals === needed }
}

/** In every order, some server takes its place last, when all others are done. If none of them is allowed then, there is no order. */
function hasNoEnd(search: Search, { from, goals, byApproval }: SolveRequest): boolean {
  const last = search.problem.queues.flatMap((_, index) => {
    const node = lastTaking(search, goals, index, from.positions[index]?.step ?? 0)
    if (node === undefined) return []
    const moves = search.moves(node, goals).filter(({ splits }) => splits === false)
    return [moves.length === 0 || moves.some((move) => approvalsFor(search, node, move, byApproval) !== undefined)]
  })
  return last.length > 0 && !last.includes(true)
}

/** The node at which all other queues are done, and in this queue only steps that take nothing follow the next one. */
function lastTaking(search: Search, goals: Goals, index: number, from: number): SearchNode | undefined {
  const { service = '', steps = [] } = search.problem.queues[index] ?? {}
  for (let step = (goals[index] ?? 0) - 1; step >= from; step -= 1) {
    const node = search.nodeAt(goals.with(index, step))
    const after = search.nodeAt(goals.with(index, step + 1))
    if (steps[step]?.action.starts === true || mayHaveMore(service, node.state, after.state)) return node
  }
  return undefined
}

interface FoundOrder {
  readonly moves: readonly Move[]
  readonly splits: number
  /** Fewer are not enough even for the services that block each other, alone on the host. */
  readonly least: number
}

/** Tried first with only the services that block each other: what they cannot do alone, they cannot do among others. */
function fewestSplits(finder: Finder, request: SolveRequest): FoundOrder | undefined {
  const { search, goals } = finder
  const approvals = request.byApproval ? Number.MAX_SAFE_INTEGER : 0
  const core = coreOf(search, request)
  const part = core === undefined ? undefined : partOf(search, goals, (service) => core.has(service))
  const alone = part === undefined ? undefined : createFinder(part.search, part.goals)
  const tried: number[] = []
  for (let splits = 0; splits <= splittable(search, goals); splits += 1) {
    if (alone !== undefined && alone.find(alone.search.root, { approvals, splits }) === undefined) continue
    tried.push(splits)
    const moves = finder.find(request.from, { approvals, splits })
    if (moves !== undefined) return { splits, moves, least: Math.min(...tried) }
  }
  return undefined
}

/** A temporary stop is worth it if it saves an approval. */
function fewestApprovals(finder: Finder, from: SearchNode, { splits, moves }: FoundOrder): Allowance {
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

/** How many servers could be stopped temporarily. */
function splittable({ problem }: Search, goals: Goals): number {
  return problem.queues.filter(({ steps }, index) =>
    steps.slice(0, goals[index]).some(({ splitInto }) => splitInto !== undefined),
  ).length
}
