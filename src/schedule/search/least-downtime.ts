import { paceOf } from '../pace.ts'
import type { Allowance, Finder } from './find-order.ts'
import { type Move, openWindows, type Spot } from './walk.ts'

interface Way {
  /** Seconds for which servers are down that wait for their own start. */
  readonly seconds: number
  readonly moves: readonly Move[]
}

/**
 * Of all orders within an allowance one in which servers that are taken down for a while are down for the least time; the first
 * one by rank where several are. Undefined: there is no order. What can be done while nobody is down, and leaves the rest
 * possible, is done before anybody is.
 */
export function leastDowntime(finder: Finder, from: Spot, allowance: Allowance): readonly Move[] | undefined {
  const { walk } = finder
  const found = new Map<string, Way | undefined>()
  const search = (spot: Spot, left: Allowance): Way | undefined => {
    const id = `${spot.key} ${left.consents} ${left.splits}`
    if (!found.has(id)) found.set(id, best(spot, left))
    return found.get(id)
  }
  const best = (spot: Spot, left: Allowance): Way | undefined => {
    if (finder.isReached(spot)) return { seconds: 0, moves: [] }
    const options = finder.options(spot, left)
    const isQuiet = openWindows(spot) === 0
    const early = isQuiet
      ? options.find(({ move, rest }) => move.splits === false && finder.find(walk.go(spot, move), rest) !== undefined)
      : undefined
    const ways = (early === undefined ? options : [early]).flatMap(({ move, rest }): readonly Way[] => {
      const way = search(walk.go(spot, move), rest)
      if (way === undefined) return []
      return [{ seconds: way.seconds + openWindows(spot) * paceOf(move.candidate.action), moves: [move, ...way.moves] }]
    })
    return ways.reduce<Way | undefined>((a, b) => (a === undefined || b.seconds < a.seconds ? b : a), undefined)
  }
  return search(from, allowance)?.moves
}
