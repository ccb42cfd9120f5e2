import { judgeCandidate } from '../../src/schedule/judge-candidate.ts'
import { paceOf } from '../../src/schedule/pace.ts'
import type { Candidate } from '../../src/schedule/schedule.ts'
import type { SearchProblem } from '../../src/schedule/search/search.ts'
import type { HostState } from '../../src/simulate/host-state.ts'
import { simulate } from '../../src/simulate/simulate.ts'

/** What an order costs, in decreasing weight: approvals, temporary stops, seconds of temporary stops. */
export type Cost = readonly [approvals: number, splits: number, seconds: number]

/** Per queue `steps.parts`; a whole number of steps is written without a dot. */
type Key = string

interface Reached {
  readonly positions: readonly (readonly [step: number, part: number])[]
  readonly state: HostState
  cost: Cost
}

/**
 * Every position that any order of actions leads to, with the cheapest path there: brute force, by trying every allowed action everywhere,
 * in rounds of one more action each. No thought is given to what could be left out, which is what the search is tested for.
 */
export function everyOrder(problem: SearchProblem, counts: Counts): ReadonlyMap<Key, Cost> {
  const { queues, start } = problem
  const root = { positions: queues.map(() => [0, 0] as const), state: start, cost: [0, 0, 0] as const }
  const all = new Map<Key, Reached>([[keyOf(root.positions), root]])
  let round: readonly Reached[] = [root]
  while (round.length > 0) {
    const next = new Map<Key, Reached>()
    for (const from of round) {
      for (const to of stepsFrom(problem, from, counts)) {
        const key = keyOf(to.positions)
        const known = next.get(key)
        if (known === undefined) next.set(key, to)
        else if (isLess(to.cost, known.cost)) known.cost = to.cost
      }
    }
    // The same position can be reached unsplit or split, which takes more rounds: the cheaper path counts.
    round = [...next].flatMap(([key, to]) => {
      const known = all.get(key)
      if (known !== undefined && !isLess(to.cost, known.cost)) return []
      all.set(key, to)
      return [to]
    })
  }
  return new Map([...all].map(([key, { cost }]) => [key, cost]))
}

/** Positions at which no server is temporarily stopped. */
export function restingPositions(reached: ReadonlyMap<Key, Cost>): readonly Key[] {
  return [...reached.keys()].filter((key) => !key.includes('.'))
}

export function isLess(a: Cost, b: Cost): boolean {
  const at = a.findIndex((value, index) => value !== b[index])
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0)
}

export function keyOf(positions: readonly (readonly [step: number, part: number])[]): Key {
  return positions.map(([step, part]) => (part === 0 ? String(step) : `${step}.${part}`)).join(' ')
}

/** Per queue and step, how many of the approvals count, the first ones; undefined: none. */
export type Counts = readonly (readonly number[])[] | undefined

function stepsFrom({ queues, policy }: SearchProblem, from: Reached, counts: Counts): readonly Reached[] {
  const down = from.positions.filter(([, part]) => part > 0).length
  return queues.flatMap(({ steps }, index) => {
    const [step = 0, part = 0] = from.positions[index] ?? []
    const next = steps[step]
    if (next === undefined) return []
    const { splitInto = [] } = next
    const first = splitInto[part]
    const end = step + next.covers
    const after = part + 1 === splitInto.length ? ([end, 0] as const) : ([step, part + 1] as const)
    const paths: readonly (readonly [Candidate, readonly [number, number], number])[] = [
      ...(part === 0 && next.mustSplit !== true ? [[next, [step + 1, 0], step] as const] : []),
      ...(first === undefined ? [] : [[first, after, end - 1] as const]),
    ]
    return paths.flatMap(([candidate, to, serves]): readonly Reached[] => {
      // What is written while its server is down is written for its start.
      const counting = policy.approvals.given.slice(0, counts?.[index]?.[serves] ?? 0)
      const { refusals } = judgeCandidate(candidate, from.state, {
        ...policy,
        approvals: { ...policy.approvals, given: counting },
      })
      const allowed = refusals.every(({ consent }) => consent !== undefined)
      if (!allowed) return []
      const { action, subject } = candidate
      const [approvals, splits, seconds] = from.cost
      const cost = [
        approvals + refusals.length,
        splits + (action.temporary === undefined ? 0 : 1),
        seconds + down * paceOf(action),
      ] as const
      return [{ positions: from.positions.with(index, to), state: simulate(from.state, action, subject), cost }]
    })
  })
}
