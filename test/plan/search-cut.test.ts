import { expect, test } from 'vitest'
import { judgeCandidate } from '../../src/schedule/judge-candidate.ts'
import { growSchedule } from '../../src/schedule/search/grow.ts'
import { simulate } from '../../src/simulate/simulate.ts'
import { problemOf } from '../support/search-problem.ts'
import { approvalOf } from './compare-orders.ts'
import { budgetLots, inputOf } from './small-worlds.ts'

/** Two of Kind B swap their ports and give memory back; the others want more of it. */
const words = ['B9990/24>9991/4', 'B9991/24>9990/4', 'B9992/4>9992/24', 'A9993/1>9993/9']

test('wherever the search is cut short, a refusal says why what is held back waits', () => {
  const all = [...budgetLots([9990, 9991]), ...budgetLots([9992]), ...budgetLots([9993])]
  const lots = words.flatMap((word) => all.find((lot) => lot.word === word) ?? [])
  const input = inputOf({ lots, memory: { totalGb: 64, availableGb: 12 }, approvals: [approvalOf('WARM.RESTART')] })
  const budgets = Array.from({ length: 40 }, (_, index) => index * 10)
  const cut = budgets.map((left) => openAndAllowed(input, left)).filter((one) => one.cut)
  expect(cut.length).toBeGreaterThan(20)
  expect(cut.filter(({ ids }) => ids.length > 0)).toEqual([])
})

function openAndAllowed(input: Parameters<typeof problemOf>[0], left: number) {
  const problem = problemOf(input)
  const { moves, goals, cut } = growSchedule({ ...problem, budget: { left } })
  const end = moves.reduce((state, { candidate: { action, subject } }) => simulate(state, action, subject), problem.start)
  const next = problem.queues.flatMap(({ steps }, index) => steps[goals[index] ?? 0] ?? [])
  const allowed = next.filter((one) =>
    judgeCandidate(one, end, problem.policy).refusals.every(({ consent }) => consent !== undefined),
  )
  return { left, cut, ids: allowed.map(({ action }) => action.id) }
}
