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
  /** The index of each step in the preferred order of all actions of the host. */
  readonly ranks: readonly number[]
  /**
   * How many of the approvals count for each step, from the first one; absent: all. A step that is done without the later ones does not need
   * them: they would only make room for others.
   */
  readonly approvals?: readonly number[]
}

/** A host, the actions on it, and the policy that judges them. */
export interface SearchProblem {
  readonly queues: readonly Queue[]
  readonly start: HostState
  readonly policy: PolicyContext
  readonly budget: Budget
}

/** How far each service has come. The state of the host depends on that alone, not on the order. */
export interface SearchNode {
  readonly key: string
  /** Per queue. */
  readonly positions: readonly QueuePosition[]
  readonly state: HostState
}

/** `step` steps are done, and `part` parts of the next one if it is split: then its server is temporarily stopped. */
interface QueuePosition {
  readonly step: number
  readonly part: number
}

/** A possible next action. */
export interface Move {
  readonly candidate: Candidate
  readonly queue: number
  /** The position of its queue after it. */
  readonly to: QueuePosition
  /** The step of its queue that it does. A part of a split does the last step that the split replaces. */
  readonly step: number
  /** Its order among other moves: what ends a temporary stop first, what begins one last, the preferred order between. */
  readonly rank: number
  /** Whether it is a temporary stop: of an action that could also be done unsplit, or of one that must be split. */
  readonly splits: 'by choice' | 'as agreed' | false
}

/** The search through a problem. It caches nodes and judgements. */
export interface Search {
  readonly problem: SearchProblem
  readonly root: SearchNode
  /** The possible next moves towards the goals, in order of rank. */
  moves(node: SearchNode, goals: Goals): readonly Move[]
  judge(node: SearchNode, move: Move): Judgement
  go(node: SearchNode, move: Move): SearchNode
  /** The node at which each queue has done this many whole steps. */
  nodeAt(goals: Goals): SearchNode
}

/** The number of steps to do, per queue. */
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
  const nodeFor = (positions: readonly QueuePosition[], state: () => HostState): SearchNode => {
    const key = positions.map(({ step, part }) => `${step}.${part}`).join(' ')
    const known = nodes.get(key)
    if (known !== undefined) return known
    const node = { key, positions, state: state() }
    nodes.set(key, node)
    return node
  }
  const movesOf = ({ positions }: SearchNode, queue: number, goal: number): readonly Move[] => {
    const { step, part } = positions[queue] ?? { step: 0, part: 0 }
    const next = step < goal ? queues[queue]?.steps[step] : undefined
    if (next === undefined) return []
    const { splitInto = [], mustSplit, covers } = next
    const rank = queues[queue]?.ranks[step] ?? 0
    const end = step + covers
    const candidate = end > goal ? undefined : splitInto[part]
    const after = part + 1 === splitInto.length ? { step: end, part: 0 } : { step, part: part + 1 }
    const ofPart = { queue, to: after, step: end - 1 }
    if (part > 0) return candidate === undefined ? [] : [{ candidate, ...ofPart, rank: rank - late, splits: false }]
    const splits = mustSplit === true ? 'as agreed' : 'by choice'
    const unsplit = { candidate: next, queue, to: { step: step + 1, part: 0 }, step, rank, splits: false } as const
    return [
      ...(mustSplit === true ? [] : [unsplit]),
      ...(candidate === undefined ? [] : [{ candidate, ...ofPart, rank: rank + late, splits } as const]),
    ]
  }
  const root = nodeFor(
    queues.map(() => ({ step: 0, part: 0 })),
    () => start,
  )
  return {
    problem,
    root,
    go: (node, { candidate: { action, subject }, queue, to }) =>
      nodeFor(node.positions.with(queue, to), () => simulate(node.state, action, subject)),
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
        goals.map((step) => ({ step, part: 0 })),
        () =>
          goals
            .flatMap((goal, index) => queues[index]?.steps.slice(0, goal) ?? [])
            .reduce((state, { action, subject }) => simulate(state, action, subject), start),
      ),
  }
}

/** Larger than any number of actions on a host. */
const late = 1_000_000

/** The number of services that are temporarily stopped at a node. */
export function temporarilyStopped({ positions }: SearchNode): number {
  return positions.filter(({ part }) => part > 0).length
}

/**
 * The number of approvals that an action needs at a node; undefined: it is not allowed there. Approvals do not count for load-then-stop actions:
 * these are left out instead.
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
 * Whether an action takes nothing that another action could need, so that it can be done as soon as it is allowed. A definition written for a
 * running server takes the memory that it then may use in addition.
 */
export function takesNothing(search: Search, node: SearchNode, move: Move): boolean {
  const { action } = move.candidate
  if (action.starts || action.temporary !== undefined) return false
  return !mayHaveMore(action.service, node.state, search.go(node, move).state)
}
