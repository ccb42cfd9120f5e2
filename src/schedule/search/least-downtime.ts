import { paceOf } from '../pace.ts'
import type { Allowance, Finder } from './find-order.ts'
import { type Move, openWindows, type SearchNode } from './search.ts'

interface FoundPath {
  /** Seconds for which servers are down that wait for their own start. */
  readonly seconds: number
  readonly moves: readonly Move[]
}

/**
 * Of all orders within an allowance one in which servers that are taken down for a while are down for the least time; the first
 * one by rank where several are. Undefined: there is no order. What can be done while nobody is down, and leaves the rest
 * possible, is done before anybody is.
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
    const isQuiet = openWindows(node) === 0
    const early = isQuiet
      ? options.find(({ move, rest }) => move.splits === false && finder.find(search.go(node, move), rest) !== undefined)
      : undefined
    const paths = (early === undefined ? options : [early]).flatMap(({ move, rest }): readonly FoundPath[] => {
      const next = leastFrom(search.go(node, move), rest)
      if (next === undefined) return []
      return [{ seconds: next.seconds + openWindows(node) * paceOf(move.candidate.action), moves: [move, ...next.moves] }]
    })
    return paths.reduce<FoundPath | undefined>((a, b) => (a === undefined || b.seconds < a.seconds ? b : a), undefined)
  }
  return leastFrom(from, allowance)?.moves
}
