import { present, withoutServices } from './part-of.ts'
import { approvalsFor, type Goals, type Move, type Search, type SearchNode } from './search.ts'

interface SearchPath {
  readonly moves: readonly Move[]
  /** Its last node. */
  readonly node: SearchNode
}

/** Takes the first allowed move until there is none, without temporary stops. */
export function advance(search: Search, from: SearchNode, goals: Goals, byApproval: boolean): SearchPath {
  return follow(search, from, (node) =>
    nextMove(
      search,
      node,
      search.moves(node, goals).filter(({ splits }) => splits === false),
      byApproval,
    ),
  )
}

/** The same for one service alone on its host. It is stopped temporarily only if that was agreed on. */
export function advanceAlone(search: Search, goals: Goals, byApproval: boolean): SearchPath {
  return follow(search, search.root, (node) =>
    nextMove(
      search,
      node,
      search.moves(node, goals).filter(({ splits }) => splits !== 'by choice'),
      byApproval,
    ),
  )
}

function follow(search: Search, from: SearchNode, next: (node: SearchNode) => Move | undefined): SearchPath {
  const moves: Move[] = []
  let node = from
  for (let move = next(node); move !== undefined; move = next(node)) {
    moves.push(move)
    node = search.go(node, move)
  }
  return { moves, node }
}

/** Approvals are used only if nothing can be done without them. */
function nextMove(search: Search, node: SearchNode, moves: readonly Move[], byApproval: boolean): Move | undefined {
  const free = moves.find((move) => approvalsFor(search, node, move, false) !== undefined)
  if (free !== undefined || !byApproval) return free
  return moves.find((move) => approvalsFor(search, node, move, true) !== undefined)
}

/** Services that are stuck without temporary stops, and those that block them; undefined: none is stuck. */
export function coreOf(
  search: Search,
  { from, goals, byApproval }: { readonly from: SearchNode; readonly goals: Goals; readonly byApproval: boolean },
): ReadonlySet<string> | undefined {
  const { node } = advance(search, from, goals, byApproval)
  const stuck = search.moves(node, goals).filter(({ splits }) => splits === false)
  if (stuck.length === 0) return undefined
  return new Set(stuck.flatMap((move) => [move.candidate.subject.service.name, ...blockers(search, node, move)]))
}

/** Services without which a move would have fewer refusals; if none alone makes a difference, all that have processes. */
export function blockers(search: Search, node: SearchNode, move: Move): readonly string[] {
  const own = move.candidate.subject.service.name
  const others = present(node.state).filter((service) => service !== own)
  const codes = codesAt(search, node, move)
  const single = others.filter((service) => codesAt(search, withoutServices(node, [service]), move) !== codes)
  return single.length > 0 ? single : others
}

function codesAt(search: Search, node: SearchNode, move: Move): string {
  const { refusals } = search.judge(node, move)
  return refusals
    .map(({ code, consent }) => `${code} ${consent === undefined}`)
    .toSorted()
    .join(', ')
}
