import { globMatches } from '../../lib/glob.ts'
import type { Approval } from '../../model/playbook.ts'
import { mayHaveMore } from '../../simulate/simulate.ts'
import { type Candidate, comesBack } from '../schedule.ts'
import { endless, SearchCut } from './budget.ts'
import { capsOf, neededByEach } from './caps.ts'
import { choices } from './choices.ts'
import { advance, blockers } from './core.ts'
import { partOf, withoutServices } from './part-of.ts'
import { approvalsFor, createSearch, type Goals, type Move, type Queue, type Search, type SearchProblem } from './search.ts'
import { approvalsOf, solve } from './solve.ts'

export interface Schedule {
  readonly moves: readonly Move[]
  readonly queues: readonly Queue[]
  /** How many steps of each queue are done. */
  readonly goals: Goals
  /** Whether the budget was spent before every order was tried. */
  readonly cut: boolean
}

/**
 * What can be done, and in which order. First comes always the next best action that every rule allows. If actions remain, it searches for
 * another order that also does them, without giving up any that are done already. Approvals count only after that, one by one: each only adds.
 */
export function growSchedule(problem: SearchProblem): Schedule {
  const searches: Searches = { search: createSearch(problem), unlimited: createSearch({ ...problem, budget: endless }) }
  const free = grown(searches, undefined, false)
  return problem.policy.approvals.given.reduce((best, approval, index) => {
    const queues = countingFor(best, index + 1)
    return mayAdd(approval, openIn(best)) ? grownByApproval(withQueues(searches, queues), best) : { ...best, queues }
  }, free)
}

/** Two searches of one problem, shared so that nothing is judged twice. */
interface Searches {
  readonly search: Search
  /** Without a budget. */
  readonly unlimited: Search
}

/** With other numbers of approvals that count. */
function withQueues({ search, unlimited }: Searches, queues: readonly Queue[]): Searches {
  const having = (one: Search): Search => ({ ...one, problem: { ...one.problem, queues } })
  return { search: having(search), unlimited: having(unlimited) }
}

/**
 * Whether an approval may add to what is done without it: it covers a service with open actions, or a service that was up would stay down.
 */
export function mayAdd({ service }: Approval, open: readonly Candidate[]): boolean {
  return open.some((candidate) => globMatches(service, candidate.subject.service.name) || comesBack(candidate))
}

function openIn({ queues, goals }: Schedule): readonly Candidate[] {
  return queues.flatMap(({ steps }, index) => steps.slice(goals[index]))
}

/** Steps that are done already keep their number of approvals; for the others, this many count. */
function countingFor({ queues, goals }: Schedule, approvals: number): readonly Queue[] {
  return queues.map((queue, index) => {
    const done = goals[index] ?? 0
    return { ...queue, approvals: queue.steps.map((_, step) => (step < done ? (queue.approvals?.[step] ?? 0) : approvals)) }
  })
}

/**
 * If a server that was up would stay down, all approvals count for it, even those that another action used before. Otherwise an interrupted run
 * could leave a server down that it had stopped with an approval.
 */
function grownByApproval(searches: Searches, before: Schedule): Schedule {
  const more = grownWith(searches, before)
  const down = downIn(more)
  if (down === 0) return more
  const { queues, policy } = searches.search.problem
  const all = policy.approvals.given.length
  const counting = queues.map((queue) => ({ ...queue, approvals: queue.steps.map(() => all) }))
  const back = grownWith(withQueues(searches, counting), more)
  return downIn(back) < down ? back : more
}

/** How many servers that were up stay down. */
function downIn(schedule: Schedule): number {
  return openIn(schedule).filter(comesBack).length
}

function grownWith(searches: Searches, before: Schedule): Schedule {
  const more = grown(searches, before, true)
  return { ...more, queues: searches.search.problem.queues, cut: before.cut || more.cut }
}

/** If the search was cut short, its end still has to be tried for allowed actions: otherwise one could wait without a refusal. */
function grown(searches: Searches, before: Schedule | undefined, byApproval: boolean): Schedule {
  const found = grow(searches.search, greedy(searches, before, byApproval), byApproval)
  return found.cut ? { ...greedy(searches, found, byApproval), cut: true } : found
}

/** Continues an earlier schedule from its end. */
function greedy({ unlimited }: Searches, before: Schedule | undefined, byApproval: boolean): Schedule {
  const { queues } = unlimited.problem
  const all = queues.map(({ steps }) => steps.length)
  const from = before === undefined ? unlimited.root : unlimited.nodeAt(before.goals)
  const { moves, node } = advance(unlimited, from, all, byApproval)
  return { moves: [...(before?.moves ?? []), ...moves], goals: node.positions.map(({ step }) => step), queues, cut: false }
}

function grow(search: Search, first: Schedule, byApproval: boolean): Schedule {
  let best = first
  try {
    if (takesMore(search, best, byApproval)) best = solved(search, best.goals, byApproval) ?? best
    if (isWhole(search, best.goals)) return best
    const caps = capsOf(search, byApproval)
    for (
      let more = grownOnce(search, best, caps, byApproval);
      more !== undefined;
      more = grownOnce(search, best, caps, byApproval)
    )
      best = more
    return best
  } catch (error) {
    if (error instanceof SearchCut) return { ...best, cut: true }
    throw error
  }
}

/** It uses more approvals than the services would alone: another order, or a temporary stop, may need fewer. */
function takesMore(search: Search, { moves, goals }: Schedule, byApproval: boolean): boolean {
  return byApproval && approvalsOf(search, search.root, moves) > neededByEach(search, goals, search.root)
}

function isWhole({ problem }: Search, goals: Goals): boolean {
  return problem.queues.every(({ steps }, index) => steps.length === goals[index])
}

/** The schedule with one more service, or else with as many as possible of the services that block each other. Undefined: neither exists. */
function grownOnce(search: Search, best: Schedule, caps: Goals, byApproval: boolean): Schedule | undefined {
  const { goals } = best
  const open = goals.flatMap((goal, index) => ((caps[index] ?? 0) > goal ? [index] : []))
  for (const index of open) {
    for (let goal = caps[index] ?? 0; goal > (goals[index] ?? 0); goal -= 1) {
      const raised = goals.with(index, goal)
      const schedule = isBarred(search, best, raised, byApproval) ? undefined : solved(search, raised, byApproval)
      if (schedule !== undefined) return schedule
    }
  }
  for (const some of groups(search, goals, helpable(search, goals, open, byApproval))) {
    const raised = goals.map((goal, index) => (some.includes(index) ? (caps[index] ?? goal) : goal))
    const schedule = added(search, best, raised, byApproval) ?? solved(search, raised, byApproval)
    if (schedule !== undefined) return schedule
  }
  return undefined
}

/** Whether a service and one that blocks it have no solution even alone on the host. */
function isBarred(search: Search, best: Schedule, goals: Goals, byApproval: boolean): boolean {
  const node = search.nodeAt(best.goals)
  return search.moves(node, goals).some((move) => {
    const own = move.candidate.subject.service.name
    return blockers(search, node, move).some((other) => {
      const { search: pair, goals: both } = partOf(search, goals, (service) => service === own || service === other)
      return solve(pair, { from: pair.root, goals: both, byApproval }) === undefined
    })
  })
}

function solved(search: Search, goals: Goals, byApproval: boolean): Schedule | undefined {
  const found = solve(search, { from: search.root, goals, byApproval })
  return found === undefined ? undefined : { moves: found.moves, goals, queues: search.problem.queues, cut: false }
}

/** Appended to what is done already, if that costs no more than any other order: then the earlier part can stay. */
function added(search: Search, best: Schedule, goals: Goals, byApproval: boolean): Schedule | undefined {
  if (takesMore(search, best, byApproval)) return undefined
  const found = solve(search, { from: search.nodeAt(best.goals), goals, byApproval })
  return found?.frugal === true ? { ...best, moves: [...best.moves, ...found.moves], goals } : undefined
}

/**
 * The services that would be allowed if the others of them, and those that were promised more memory, did not block. No order helps the rest. A
 * definition that promises more can be written after them.
 */
function helpable(search: Search, goals: Goals, open: readonly number[], byApproval: boolean): readonly number[] {
  const node = search.nodeAt(goals)
  const { queues } = search.problem
  const names = queues.flatMap(({ service }, index) =>
    open.includes(index) || mayHaveMore(service, search.root.state, node.state) ? [service] : [],
  )
  const helped = open.filter((index) => {
    const own = search.problem.queues[index]?.service
    const others = names.filter((name) => name !== own)
    const free = withoutServices(node, others)
    const moves = search.moves(free, onwards(search, goals, index)).filter(({ splits }) => splits !== 'by choice')
    return moves.some((move) => approvalsFor(search, free, move, byApproval) !== undefined)
  })
  return helped.length === open.length ? helped : helpable(search, goals, helped, byApproval)
}

/** Goals that let only one queue continue. */
function onwards({ problem }: Search, goals: Goals, index: number): Goals {
  return goals.with(index, problem.queues[index]?.steps.length ?? 0)
}

/** Groups of at least two services that block each other, the largest first. */
function* groups(search: Search, goals: Goals, helped: readonly number[]): Generator<readonly number[]> {
  const seen = new Set<string>()
  for (const first of helped) {
    const group = groupOf(search, goals, helped, [first])
    const name = group.join(' ')
    if (seen.has(name)) continue
    seen.add(name)
    for (let size = group.length; size > 1; size -= 1) yield* choices(group, size)
  }
}

/** The services that a group waits for, transitively; in order. */
function groupOf(search: Search, goals: Goals, helped: readonly number[], group: readonly number[]): readonly number[] {
  const node = search.nodeAt(goals)
  const names = group.flatMap((index) => {
    const moves = search.moves(node, onwards(search, goals, index))
    return moves.filter(({ splits }) => splits !== 'by choice').flatMap((move) => blockers(search, node, move))
  })
  const wider = helped.filter((index) => group.includes(index) || names.includes(search.problem.queues[index]?.service ?? ''))
  return wider.length === group.length ? wider : groupOf(search, goals, helped, wider)
}
