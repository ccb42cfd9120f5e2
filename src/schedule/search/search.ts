import { approvalsNeeded } from '../../policy/approvals.ts'
import type { Judgement } from '../../policy/judge-action.ts'
import type { HostState } from '../../simulate/host-state.ts'
import { mayHaveMore, simulate } from '../../simulate/simulate.ts'
import { judgeCandidate, type PolicyContext } from '../judge-candidate.ts'
import type { Candidate } from '../schedule.ts'
import { type Budget, spend } from './budget.ts'

/** What is planned for one service, in order. */
export interface Queue {
  readonly service: string
  readonly steps: readonly Candidate[]
  /** Of each step its place in the preferred order of all actions of the host. */
  readonly ranks: readonly number[]
  /**
   * Of each step how many of the approvals count for it, the first ones; absent: all. What is done without the later ones needs none of
   * them: they would only make room for others.
   */
  readonly approvals?: readonly number[]
}

/** A host, what may be done on it, and who judges that. */
export interface SearchProblem {
  readonly queues: readonly Queue[]
  readonly start: HostState
  readonly policy: PolicyContext
  readonly budget: Budget
}

/** How far each service has come: the host's state follows from that alone, in whatever order it came about. */
export interface SearchNode {
  readonly key: string
  /** Per queue. */
  readonly places: readonly Place[]
  readonly state: HostState
}

/** `step` steps are done, and of the next one `piece` pieces: then its server is down for a while. */
interface Place {
  readonly step: number
  readonly piece: number
}

/** One action that could be done next. */
export interface Move {
  readonly candidate: Candidate
  readonly queue: number
  /** Where its queue is after it. */
  readonly to: Place
  /** Its queue's step that it does, or is to help to do: of pieces the last one whose place they take. */
  readonly step: number
  /** Where it stands among others: what ends a downtime first, what begins one last, the preferred order between. */
  readonly rank: number
  /** It takes a server down that this plan starts again: where it could also be replaced in one go, or where it may not. */
  readonly splits: 'by choice' | 'as agreed' | false
}

/** The search through a problem. Nodes and judgements are made once and remembered. */
export interface Search {
  readonly problem: SearchProblem
  readonly root: SearchNode
  /** What could be done next, in order of rank, as far as the goals ask for it. */
  moves(node: SearchNode, goals: Goals): readonly Move[]
  judge(node: SearchNode, move: Move): Judgement
  go(node: SearchNode, move: Move): SearchNode
  /** The node at which each queue has done so many whole steps. */
  nodeAt(goals: Goals): SearchNode
}

/** Per queue: how many of its steps are to be done. */
export type Goals = readonly number[]

/** One queue per service, in the order in which services appear; `candidates` are in preferred order. */
export function queuesOf(candidates: readonly Candidate[]): readonly Queue[] {
  const byService = Map.groupBy(candidates, ({ subject }) => subject.service.name)
  return [...byService].map(([service, some]) => {
    const steps = some.toSorted((a, b) => a.after.length - b.after.length)
    return { service, steps, ranks: steps.map((step) => candidates.indexOf(step)) }
  })
}

export function createSearch(problem: SearchProblem): Search {
  const { queues, start, policy, budget } = problem
  const nodes = new Map<string, SearchNode>()
  const judgements = new Map<string, Judgement>()
  const nodeFor = (places: readonly Place[], state: () => HostState): SearchNode => {
    const key = places.map(({ step, piece }) => `${step}.${piece}`).join(' ')
    const known = nodes.get(key)
    if (known !== undefined) return known
    const node = { key, places, state: state() }
    nodes.set(key, node)
    return node
  }
  const movesOf = ({ places }: SearchNode, queue: number, goal: number): readonly Move[] => {
    const { step, piece } = places[queue] ?? { step: 0, piece: 0 }
    const next = step < goal ? queues[queue]?.steps[step] : undefined
    if (next === undefined) return []
    const { pieces = [], whole, covers } = next
    const rank = queues[queue]?.ranks[step] ?? 0
    const end = step + covers
    const part = end > goal ? undefined : pieces[piece]
    const after = piece + 1 === pieces.length ? { step: end, piece: 0 } : { step, piece: piece + 1 }
    const ofPiece = { queue, to: after, step: end - 1 }
    if (piece > 0) return part === undefined ? [] : [{ candidate: part, ...ofPiece, rank: rank - late, splits: false }]
    const splits = whole === false ? 'as agreed' : 'by choice'
    const inOneGo = { candidate: next, queue, to: { step: step + 1, piece: 0 }, step, rank, splits: false } as const
    return [
      ...(whole === false ? [] : [inOneGo]),
      ...(part === undefined ? [] : [{ candidate: part, ...ofPiece, rank: rank + late, splits } as const]),
    ]
  }
  const root = nodeFor(
    queues.map(() => ({ step: 0, piece: 0 })),
    () => start,
  )
  return {
    problem,
    root,
    go: (node, { candidate: { action, subject }, queue, to }) =>
      nodeFor(node.places.with(queue, to), () => simulate(node.state, action, subject)),
    moves: (node, goals) => goals.flatMap((goal, index) => movesOf(node, index, goal)).toSorted((a, b) => a.rank - b.rank),
    judge: (node, { candidate }) => {
      const id = `${node.key} ${candidate.action.id}`
      const known = judgements.get(id)
      if (known !== undefined) return known
      spend(budget)
      const judgement = judgeCandidate(candidate, node.state, policy)
      judgements.set(id, judgement)
      return judgement
    },
    nodeAt: (goals) =>
      nodeFor(
        goals.map((step) => ({ step, piece: 0 })),
        () =>
          goals
            .flatMap((goal, index) => queues[index]?.steps.slice(0, goal) ?? [])
            .reduce((state, { action, subject }) => simulate(state, action, subject), start),
      ),
  }
}

/** More than a host ever has actions. */
const late = 1_000_000

/** Services that are down at a node until their own start. */
export function openWindows({ places }: SearchNode): number {
  return places.filter(({ piece }) => piece > 0).length
}

/**
 * Approvals that an action takes at a node; undefined: it may not be done there. Leave is for what somebody wants: what is started for
 * a moment alone is left out sooner.
 */
export function approvalsFor(search: Search, node: SearchNode, move: Move, byApproval: boolean): number | undefined {
  const { refusals } = search.judge(node, move)
  if (refusals.length === 0) return 0
  const { action } = move.candidate
  if (!byApproval || action.momentary === true) return undefined
  const { queues, policy } = search.problem
  const enough = approvalsNeeded(refusals, action.host, policy.approvals)
  const counting = queues[move.queue]?.approvals?.[move.step] ?? policy.approvals.given.length
  return enough === undefined || enough > counting ? undefined : refusals.length
}

/**
 * It takes nothing that another action could need, so that it can be done as soon as it may. What is written for a server that runs on
 * takes what that may then have more of.
 */
export function takesNothing(search: Search, node: SearchNode, move: Move): boolean {
  const { action } = move.candidate
  if (action.starts || action.temporary !== undefined) return false
  return !mayHaveMore(action.service, node.state, search.go(node, move).state)
}
