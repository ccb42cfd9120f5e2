import { consentsFor, type Goals, type Move, type Spot, takesNothing, type Walk } from './walk.ts'

/** What an order may use up. */
export interface Allowance {
  /** Refusals overruled by leave that people gave; 0: leave does not count at all. */
  readonly consents: number
  /** Servers taken down for a while. */
  readonly splits: number
}

/** A move that may be made, and what is left of the allowance after it. */
export interface Option {
  readonly move: Move
  readonly rest: Allowance
}

export interface Finder {
  readonly walk: Walk
  readonly goals: Goals
  isReached(spot: Spot): boolean
  /** What may be done next, in order of rank. */
  options(spot: Spot, allowance: Allowance): readonly Option[]
  /** The first order, by rank, in which everything that is asked for can be done; undefined: there is none. */
  find(spot: Spot, allowance: Allowance): readonly Move[] | undefined
}

/** Looks for orders in which each track does so many of its steps. Exhaustive; spots that lead nowhere are remembered. */
export function createFinder(walk: Walk, goals: Goals): Finder {
  const dead = new Set<string>()
  const target = goals.map((step) => `${step}.0`).join(' ')
  const isReached = ({ key }: Spot): boolean => key === target
  const options = (spot: Spot, allowance: Allowance): readonly Option[] => {
    return walk.moves(spot, goals).flatMap((move) => {
      const rest = afterMove(walk, spot, move, allowance)
      return rest === undefined ? [] : [{ move, rest }]
    })
  }
  const find = (spot: Spot, allowance: Allowance): readonly Move[] | undefined => {
    if (isReached(spot)) return []
    const id = `${spot.key} ${allowance.consents} ${allowance.splits}`
    if (dead.has(id)) return undefined
    for (const { move, rest } of withoutDoubt(walk, spot, options(spot, allowance), allowance)) {
      const way = find(walk.go(spot, move), rest)
      if (way !== undefined) return [move, ...way]
    }
    dead.add(id)
    return undefined
  }
  return { walk, goals, isReached, options, find }
}

/** One that takes nothing from the others, alone: to do it first never makes anything impossible. */
function withoutDoubt(walk: Walk, spot: Spot, options: readonly Option[], { consents }: Allowance): readonly Option[] {
  const sure = options.find(({ move, rest }) => rest.consents === consents && takesNothing(walk, spot, move))
  return sure === undefined ? options : [sure]
}

function afterMove(walk: Walk, spot: Spot, move: Move, { consents, splits }: Allowance): Allowance | undefined {
  if (move.splits !== false && splits === 0) return undefined
  const used = consentsFor(walk, spot, move, consents > 0)
  if (used === undefined || used > consents) return undefined
  return { consents: consents - used, splits: splits - (move.splits === false ? 0 : 1) }
}
