import type { Refusal } from '../../model/refusal.ts'
import type { Judgement } from '../../policy/judge-action.ts'
import type { Candidate } from '../schedule.ts'
import { endless } from './budget.ts'
import { advanceAlone } from './core.ts'
import { partOf } from './part-of.ts'
import { createSearch, type Goals, type Search, type SearchNode, type SearchProblem } from './search.ts'

/** How far each service would get if it were alone on its host: no order gets it farther. Load-then-stop actions do not count as goals. */
export function capsOf(search: Search, byApproval: boolean): Goals {
  return search.problem.queues.map(({ service, steps }) => {
    const loadThenStop = steps.findIndex(({ action }) => action.momentary === true)
    const { search: alone } = partOf(search, [], (one) => one === service)
    const { node } = advanceAlone(alone, [loadThenStop < 0 ? steps.length : loadThenStop], byApproval)
    return node.positions[0]?.step ?? 0
  })
}

/** The first action of a service that would be refused even if it were alone on its host. */
export function firstBarred(
  problem: SearchProblem,
  service: string,
): { readonly candidate: Candidate; readonly judgement: Judgement } | undefined {
  const { search } = partOf(createSearch({ ...problem, budget: endless }), [], (one) => one === service)
  const goals = search.problem.queues.map(({ steps }) => steps.length)
  const { node } = advanceAlone(search, goals, true)
  const move = search.moves(node, goals).find(({ splits }) => splits !== 'by choice')
  return move === undefined ? undefined : { candidate: move.candidate, judgement: search.judge(node, move) }
}

/** All refusals of the actions of a service if it were alone on its host, as far as approvals get it there. */
export function refusalsAlone(problem: SearchProblem, service: string): readonly Refusal[] {
  const { search } = partOf(createSearch({ ...problem, budget: endless }), [], (one) => one === service)
  const goals = search.problem.queues.map(({ steps }) => steps.length)
  const { moves } = advanceAlone(search, goals, true)
  let node = search.root
  const found: Refusal[] = []
  for (const move of moves) {
    found.push(...search.judge(node, move).refusals)
    node = search.go(node, move)
  }
  const next = search.moves(node, goals).find(({ splits }) => splits !== 'by choice')
  return next === undefined ? found : [...found, ...search.judge(node, next).refusals]
}

/** The number of approvals needed from a node on if each service were alone on its host. */
export function neededByEach(search: Search, goals: Goals, from: SearchNode): number {
  return search.problem.queues.reduce((sum, { service }, index) => {
    const { search: alone, goals: own } = partOf(search, goals, (one) => one === service)
    const begin = from.positions[index]?.step ?? 0
    let node = alone.root
    let needed = 0
    for (const move of advanceAlone(alone, own, true).moves) {
      if ((node.positions[0]?.step ?? 0) >= begin) needed += alone.judge(node, move).refusals.length
      node = alone.go(node, move)
    }
    return sum + needed
  }, 0)
}
