import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { judgeCandidate } from '../../src/schedule/judge-candidate.ts'
import { paceOf } from '../../src/schedule/pace.ts'
import { comesBack } from '../../src/schedule/schedule.ts'
import { growSchedule, type Schedule } from '../../src/schedule/search/grow.ts'
import type { Goals, SearchProblem } from '../../src/schedule/search/search.ts'
import { simulate } from '../../src/simulate/simulate.ts'
import { problemOf } from '../support/search-problem.ts'
import { type Cost, type Counts, everyOrder, isLess, keyOf, restingPositions } from './every-order.ts'

/** What the search did otherwise than brute force would have; empty: as well as can be. */
export function faultsOfSearch(input: PlanInput): readonly string[] {
  const problem = problemOf(input)
  const found = growSchedule(problem)
  if (found.cut) return ['the search was cut short']
  const before = input.approvals.map(
    (_, index) => growSchedule(problemOf({ ...input, approvals: input.approvals.slice(0, index) })).goals,
  )
  const reached = everyOrder(problem, countingIn(problem, before))
  const goal = found.goals.join(' ')
  const cost = costOf(problem, found)
  const best = reached.get(goal)
  if (best === undefined || typeof cost === 'string') return [`no order reaches ${goal}: ${String(cost)}`]
  const lost = before.filter((goals) => goals.some((step, index) => step > (found.goals[index] ?? 0)))
  return [
    ...better(found, restingPositions(reached)).map((key) => `${goal} was found, and more can be done: ${key}`),
    ...(isLess(best, cost) ? [`${goal} costs ${cost.join(', ')}, and ${best.join(', ')} is possible`] : []),
    ...(isLess(cost, best) ? [`${goal} costs ${cost.join(', ')}, and that cannot be`] : []),
    ...lost.map((goals) => `${goals.join(' ')} is done with fewer approvals, and ${goal} with more`),
  ]
}

/** Approvals count one after the other, for what is not done by those before; all count where that brings more of those back who were up. */
function countingIn(problem: SearchProblem, before: readonly Goals[]): Counts {
  if (before.length === 0) return undefined
  const strictly = problem.queues.map(({ steps }, index) =>
    steps.map((_, step) => {
      const first = before.findIndex((goals) => (goals[index] ?? 0) > step)
      return first < 0 ? before.length : first
    }),
  )
  const ends = problem.queues.map(({ steps }) => steps.findLastIndex(comesBack) + 1)
  if (ends.every((end) => end === 0)) return strictly
  const isKept = (key: string) =>
    key.split(' ').every((step, index) => before.every((goals) => Number(step) >= (goals[index] ?? 0)))
  const backIn = (key: string) => key.split(' ').filter((step, index) => Number(step) >= (ends[index] ?? 0)).length
  const most = (counts: Counts) => Math.max(...restingPositions(everyOrder(problem, counts)).filter(isKept).map(backIn))
  const freely = strictly.map((steps) => steps.map(() => before.length))
  return most(freely) > most(strictly) ? freely : strictly
}

/** Nothing that is done may be given up for it. */
function better({ goals }: Schedule, positions: readonly string[]): readonly string[] {
  const isMore = (key: string) => {
    const steps = key.split(' ').map(Number)
    return steps.every((step, index) => step >= (goals[index] ?? 0)) && steps.some((step, index) => step > (goals[index] ?? 0))
  }
  return positions.filter(isMore)
}

/** Of the order that was found, done step by step; a text: what is not allowed in it. */
function costOf({ queues, start, policy }: SearchProblem, { moves, goals }: Schedule): Cost | string {
  let state = start
  let positions: readonly (readonly [number, number])[] = queues.map(() => [0, 0] as const)
  let [approvals, splits, seconds] = [0, 0, 0]
  for (const { candidate, queue, to } of moves) {
    const { action, subject } = candidate
    const { refusals } = judgeCandidate(candidate, state, policy)
    const refused = refusals.find(({ consent }) => consent === undefined)
    if (refused !== undefined) return `${action.id} is refused: ${refused.code}`
    approvals += refusals.length
    splits += action.temporary === undefined ? 0 : 1
    seconds += positions.filter(([, part]) => part > 0).length * paceOf(action)
    positions = positions.with(queue, [to.step, to.part])
    state = simulate(state, action, subject)
  }
  return keyOf(positions) === goals.join(' ') ? [approvals, splits, seconds] : `it ends at ${keyOf(positions)}`
}
