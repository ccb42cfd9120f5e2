import { globMatches } from '../../lib/glob.ts'
import type { Approval } from '../../model/playbook.ts'
import { mayHaveMore } from '../../simulate/simulate.ts'
import { type Candidate, comesBack } from '../schedule.ts'
import { endless, SearchCut } from './budget.ts'
import { capsOf, neededByEach } from './caps.ts'
import { choices } from './choices.ts'
import { blockers, goOn } from './core.ts'
import { partOf, withoutServices } from './part-of.ts'
import { approvalsFor, createSearch, type Goals, type Move, type Queue, type Search, type SearchProblem } from './search.ts'
import { approvalsOf, solve } from './solve.ts'

export interface Schedule {
  readonly moves: readonly Move[]
  readonly queues: readonly Queue[]
  /** How many steps of each queue it does. */
  readonly goals: Goals
  /** The budget was spent before everything was tried. */
  readonly cut: boolean
}

/**
 * What can be done, and in which order. First always the next best action that every rule allows; where that leaves something open,
 * another order is looked for in which it is done as well, and nothing that is done already is given up for it. Leave that people
 * gave counts only after that, one approval after the other: each adds to what is done without it and takes nothing from it.
 */
export function growSchedule(problem: SearchProblem): Schedule {
  const searches: Searches = { search: createSearch(problem), freely: createSearch({ ...problem, budget: endless }) }
  const free = grown(searches, undefined, false)
  return problem.policy.approvals.given.reduce((best, approval, index) => {
    const queues = countingFor(best, index + 1)
    return mayAdd(approval, openIn(best)) ? grownByLeave(withTracks(searches, queues), best) : { ...best, queues }
  }, free)
}

/** Of one problem, so that nothing is judged twice. */
interface Searches {
  readonly search: Search
  /** Whatever it takes. */
  readonly freely: Search
}

/** With other approvals that count. */
function withTracks({ search, freely }: Searches, queues: readonly Queue[]): Searches {
  const having = (one: Search): Search => ({ ...one, problem: { ...one.problem, queues } })
  return { search: having(search), freely: having(freely) }
}

/**
 * Whether an approval may add to what is done without it: it is about somebody who is not as wanted, or about others beside one who was
 * up and does not come back.
 */
export function mayAdd({ service }: Approval, open: readonly Candidate[]): boolean {
  return open.some((candidate) => globMatches(service, candidate.subject.service.name) || comesBack(candidate))
}

function openIn({ queues, goals }: Schedule): readonly Candidate[] {
  return queues.flatMap(({ steps }, index) => steps.slice(goals[index]))
}

/** What is done by the approvals before needs no more of them; for the rest so many count. */
function countingFor({ queues, goals }: Schedule, approvals: number): readonly Queue[] {
  return queues.map((queue, index) => {
    const done = goals[index] ?? 0
    return { ...queue, approvals: queue.steps.map((_, step) => (step < done ? (queue.approvals?.[step] ?? 0) : approvals)) }
  })
}

/**
 * Who was up comes back, if need be by leave that somebody else could do without by now: what a run took down by leave, and was cut off
 * before it started it again, is not left down for it.
 */
function grownByLeave(searches: Searches, before: Schedule): Schedule {
  const more = grownWith(searches, before)
  const down = downIn(more)
  if (down === 0) return more
  const { queues, policy } = searches.search.problem
  const all = policy.approvals.given.length
  const counting = queues.map((queue) => ({ ...queue, approvals: queue.steps.map(() => all) }))
  const back = grownWith(withTracks(searches, counting), more)
  return downIn(back) < down ? back : more
}

/** How many stay down that were up. */
function downIn(schedule: Schedule): number {
  return openIn(schedule).filter(comesBack).length
}

function grownWith(searches: Searches, before: Schedule): Schedule {
  const more = grown(searches, before, true)
  return { ...more, queues: searches.search.problem.queues, cut: before.cut || more.cut }
}

/** Where the search was cut short, nobody has looked yet for what is allowed where it ends: then no refusal would say why that waits. */
function grown(searches: Searches, before: Schedule | undefined, byApproval: boolean): Schedule {
  const found = grow(searches.search, greedy(searches, before, byApproval), byApproval)
  return found.cut ? { ...greedy(searches, found, byApproval), cut: true } : found
}

/** What was found before stands, and goes on from where it ends. */
function greedy({ freely }: Searches, before: Schedule | undefined, byApproval: boolean): Schedule {
  const { queues } = freely.problem
  const all = queues.map(({ steps }) => steps.length)
  const from = before === undefined ? freely.root : freely.nodeAt(before.goals)
  const { moves, node } = goOn(freely, from, all, byApproval)
  return { moves: [...(before?.moves ?? []), ...moves], goals: node.places.map(({ step }) => step), queues, cut: false }
}

function grow(search: Search, first: Schedule, byApproval: boolean): Schedule {
  let best = first
  try {
    if (takesMore(search, best, byApproval)) best = anew(search, best.goals, byApproval) ?? best
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

/** It takes more leave than each service would alone: in another order, or while one of them is down for a while, less may do. */
function takesMore(search: Search, { moves, goals }: Schedule, byApproval: boolean): boolean {
  return byApproval && approvalsOf(search, search.root, moves) > neededByEach(search, goals, search.root)
}

function isWhole({ problem }: Search, goals: Goals): boolean {
  return problem.queues.every(({ steps }, index) => steps.length === goals[index])
}

/** The first of these that can be done beside what is done: one more service, else as many as possible of those that need each other. */
function grownOnce(search: Search, best: Schedule, caps: Goals, byApproval: boolean): Schedule | undefined {
  const { goals } = best
  const open = goals.flatMap((goal, index) => ((caps[index] ?? 0) > goal ? [index] : []))
  for (const index of open) {
    for (let goal = caps[index] ?? 0; goal > (goals[index] ?? 0); goal -= 1) {
      const raised = goals.with(index, goal)
      const schedule = isBarred(search, best, raised, byApproval) ? undefined : anew(search, raised, byApproval)
      if (schedule !== undefined) return schedule
    }
  }
  for (const some of groups(search, goals, helpable(search, goals, open, byApproval))) {
    const raised = goals.map((goal, index) => (some.includes(index) ? (caps[index] ?? goal) : goal))
    const schedule = added(search, best, raised, byApproval) ?? anew(search, raised, byApproval)
    if (schedule !== undefined) return schedule
  }
  return undefined
}

/** One of those that it blocks would block it even if nothing else were there, and nothing is to become of that one. */
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

function anew(search: Search, goals: Goals, byApproval: boolean): Schedule | undefined {
  const found = solve(search, { from: search.root, goals, byApproval })
  return found === undefined ? undefined : { moves: found.moves, goals, queues: search.problem.queues, cut: false }
}

/** Behind what is done already, where that costs no more than it would anywhere: then nothing has to be turned over for it. */
function added(search: Search, best: Schedule, goals: Goals, byApproval: boolean): Schedule | undefined {
  if (takesMore(search, best, byApproval)) return undefined
  const found = solve(search, { from: search.nodeAt(best.goals), goals, byApproval })
  return found?.frugal === true ? { ...best, moves: [...best.moves, ...found.moves], goals } : undefined
}

/**
 * Those that would be allowed if the others of them did not block, and who was promised more; there is no help for the rest. What
 * somebody is promised can be written behind them.
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

/** What one of them goes on with, and no other. */
function onwards({ problem }: Search, goals: Goals, index: number): Goals {
  return goals.with(index, problem.queues[index]?.steps.length ?? 0)
}

/** Those that block each other, as many together as possible; two at least. */
function* groups(search: Search, goals: Goals, helped: readonly number[]): Generator<readonly number[]> {
  const told = new Set<string>()
  for (const first of helped) {
    const group = groupOf(search, goals, helped, [first])
    const name = group.join(' ')
    if (told.has(name)) continue
    told.add(name)
    for (let size = group.length; size > 1; size -= 1) yield* choices(group, size)
  }
}

/** Who waits for whom, and for whom those wait in turn; in order. */
function groupOf(search: Search, goals: Goals, helped: readonly number[], group: readonly number[]): readonly number[] {
  const node = search.nodeAt(goals)
  const names = group.flatMap((index) => {
    const moves = search.moves(node, onwards(search, goals, index))
    return moves.filter(({ splits }) => splits !== 'by choice').flatMap((move) => blockers(search, node, move))
  })
  const wider = helped.filter((index) => group.includes(index) || names.includes(search.problem.queues[index]?.service ?? ''))
  return wider.length === group.length ? wider : groupOf(search, goals, helped, wider)
}
