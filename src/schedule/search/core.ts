import { present, withoutServices } from './part-of.ts'
import { consentsFor, type Goals, type Move, type Spot, type Walk } from './walk.ts'

interface Trail {
  readonly moves: readonly Move[]
  /** Where it ends. */
  readonly spot: Spot
}

/** How far one gets by always taking the first move that may be made, and nobody being taken down for a while. */
export function goOn(walk: Walk, from: Spot, goals: Goals, leave: boolean): Trail {
  return follow(walk, from, (spot) =>
    nextMove(
      walk,
      spot,
      walk.moves(spot, goals).filter(({ splits }) => splits === false),
      leave,
    ),
  )
}

/** The same for one service with nobody beside it; one that was agreed to be taken down for a while is. */
export function goAlone(walk: Walk, goals: Goals, leave: boolean): Trail {
  return follow(walk, walk.root, (spot) =>
    nextMove(
      walk,
      spot,
      walk.moves(spot, goals).filter(({ splits }) => splits !== 'by choice'),
      leave,
    ),
  )
}

function follow(walk: Walk, from: Spot, next: (spot: Spot) => Move | undefined): Trail {
  const moves: Move[] = []
  let spot = from
  for (let move = next(spot); move !== undefined; move = next(spot)) {
    moves.push(move)
    spot = walk.go(spot, move)
  }
  return { moves, spot }
}

/** Leave is used only where nothing can be done without it. */
function nextMove(walk: Walk, spot: Spot, moves: readonly Move[], leave: boolean): Move | undefined {
  const free = moves.find((move) => consentsFor(walk, spot, move, false) !== undefined)
  if (free !== undefined || !leave) return free
  return moves.find((move) => consentsFor(walk, spot, move, true) !== undefined)
}

/** The services that are stuck when nobody gives way, and those that stand in their way; undefined: nobody is stuck. */
export function coreOf(
  walk: Walk,
  { from, goals, leave }: { readonly from: Spot; readonly goals: Goals; readonly leave: boolean },
): ReadonlySet<string> | undefined {
  const { spot } = goOn(walk, from, goals, leave)
  const stuck = walk.moves(spot, goals).filter(({ splits }) => splits === false)
  if (stuck.length === 0) return undefined
  return new Set(stuck.flatMap((move) => [move.candidate.subject.service.name, ...blockers(walk, spot, move)]))
}

/** Services without which a move would be refused for less; where none alone makes a difference, all that have processes. */
export function blockers(walk: Walk, spot: Spot, move: Move): readonly string[] {
  const own = move.candidate.subject.service.name
  const others = present(spot.state).filter((service) => service !== own)
  const codes = codesAt(walk, spot, move)
  const single = others.filter((service) => codesAt(walk, withoutServices(spot, [service]), move) !== codes)
  return single.length > 0 ? single : others
}

function codesAt(walk: Walk, spot: Spot, move: Move): string {
  const { refusals } = walk.judge(spot, move)
  return refusals
    .map(({ code, consent }) => `${code} ${consent === undefined}`)
    .toSorted()
    .join(', ')
}
