import { approvalsFor, type Goals, type Move, type Search, type SearchNode, takesNothing } from './search.ts'

/** What an order may use. */
export interface Allowance {
  /** Refusals overruled by approvals; 0: approvals do not count. */
  readonly approvals: number
  /** Temporary stops. */
  readonly splits: number
}

/** An allowed move, and the rest of the allowance after it. */
export interface Option {
  readonly move: Move
  readonly rest: Allowance
}

export interface Finder {
  readonly search: Search
  readonly goals: Goals
  isReached(node: SearchNode): boolean
  /** The allowed next moves, in order of rank. */
  options(node: SearchNode, allowance: Allowance): readonly Option[]
  /** The first order, by rank, that reaches the goals; undefined: there is none. */
  find(node: SearchNode, allowance: Allowance): readonly Move[] | undefined
}

/** Searches for orders in which each queue reaches its goal. Exhaustive; it remembers dead ends. */
export function createFinder(search: Search, goals: Goals): Finder {
  const dead = new Set<string>()
  const target = goals.map((step) => `${step}.0`).join(' ')
  const isReached = ({ key }: SearchNode): boolean => key === target
  const options = (node: SearchNode, allowance: Allowance): readonly Option[] => {
    return search.moves(node, goals).flatMap((move) => {
      const rest = afterMove(search, node, move, allowance)
      return rest === undefined ? [] : [{ move, rest }]
    })
  }
  const find = (node: SearchNode, allowance: Allowance): readonly Move[] | undefined => {
    if (isReached(node)) return []
    const id = `${node.key} ${allowance.approvals} ${allowance.splits}`
    if (dead.has(id)) return undefined
    for (const { move, rest } of narrowed(search, node, options(node, allowance), allowance)) {
      const found = find(search.go(node, move), rest)
      if (found !== undefined) return [move, ...found]
    }
    dead.add(id)
    return undefined
  }
  return { search, goals, isReached, options, find }
}

/** If a move takes nothing from the others, only that one: doing it first never rules anything out. */
function narrowed(search: Search, node: SearchNode, options: readonly Option[], { approvals }: Allowance): readonly Option[] {
  const sure = options.find(({ move, rest }) => rest.approvals === approvals && takesNothing(search, node, move))
  return sure === undefined ? options : [sure]
}

function afterMove(search: Search, node: SearchNode, move: Move, { approvals, splits }: Allowance): Allowance | undefined {
  if (move.splits !== false && splits === 0) return undefined
  const used = approvalsFor(search, node, move, approvals > 0)
  if (used === undefined || used > approvals) return undefined
  return { approvals: approvals - used, splits: splits - (move.splits === false ? 0 : 1) }
}
