import { paceOf } from '../pace.ts'
import type { Allowance, Finder } from './find-order.ts'
import { type Move, type SearchNode, temporarilyStopped } from './search.ts'

interface FoundPath {
  /** Total seconds for which servers are temporarily stopped. */
  readonly seconds: number
  readonly moves: readonly Move[]
}

/**
 * The order within an allowance that has the least time of temporary stops, and of several the first by rank. Undefined: there is no order. What
 * can be done before the first temporary stop, and leaves the rest possible, is done before it.
 */
export function leastDowntime(finder: Finder, from: SearchNode, allowance: Allowance): readonly Move[] | undefined {
  const { search } = finder
  const found = new Map<string, FoundPath | undefined>()
  const leastFrom = (node: SearchNode, left: Allowance): FoundPath | undefined => {
    const id = `${node.key} ${left.approvals} ${left.splits}`
    if (!found.has(id)) found.set(id, best(node, left))
    return found.get(id)
  }
  const best = (node: SearchNode, left: Allowance): FoundPath | undefined => {
    if (finder.isReached(node)) return { seconds: 0, moves: [] }
    const options = finder.options(node, left)
    const isQuiet = temporarilyStopped(node) === 0
    const early = isQuiet
      ? options.find(({ move, rest }) => move.splits === false && finder.find(search.go(node, move), rest) !== undefined)
      : undefined
    const paths = (early === undefined ? options : [early]).flatMap(({ move, rest }): readonly FoundPath[] => {
      const next = leastFrom(search.go(node, move), rest)
      if (next === undefined) return []
      return [{ seconds: next.seconds + temporarilyStopped(node) * paceOf(move.candidate.action), moves: [move, ...next.moves] }]
    })
    return paths.reduce<FoundPath | undefined>((a, b) => (a === undefined || b.seconds < a.seconds ? b : a), undefined)
  }
  return leastFrom(from, allowance)?.moves
}
