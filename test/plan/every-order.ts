import { judgeCandidate } from '../../src/schedule/judge-candidate.ts'
import { paceOf } from '../../src/schedule/pace.ts'
import type { Candidate } from '../../src/schedule/schedule.ts'
import type { SearchProblem } from '../../src/schedule/search/search.ts'
import type { HostState } from '../../src/simulate/host-state.ts'
import { simulate } from '../../src/simulate/simulate.ts'

/** What an order costs, what weighs most first: approvals, servers taken down for a while, seconds for which they are down. */
export type Cost = readonly [approvals: number, splits: number, seconds: number]

/** Per queue `steps.pieces`; a whole number of steps is written without a dot. */
type Key = string

interface Reached {
  readonly places: readonly (readonly [step: number, piece: number])[]
  readonly state: HostState
  cost: Cost
}

/**
 * Every place that any order of actions leads to, with the cheapest path there: brute force, by trying every allowed action everywhere,
 * in rounds of one more action each. No thought is given to what could be left out, which is what the search is tested for.
 */
export function everyOrder(problem: SearchProblem, counts: Counts): ReadonlyMap<Key, Cost> {
  const { queues, start } = problem
  const root = { places: queues.map(() => [0, 0] as const), state: start, cost: [0, 0, 0] as const }
  const all = new Map<Key, Reached>([[keyOf(root.places), root]])
  let round: readonly Reached[] = [root]
  while (round.length > 0) {
    const next = new Map<Key, Reached>()
    for (const from of round) {
      for (const to of stepsFrom(problem, from, counts)) {
        const key = keyOf(to.places)
        const known = next.get(key)
        if (known === undefined) next.set(key, to)
        else if (isLess(to.cost, known.cost)) known.cost = to.cost
      }
    }
    // The same place can be reached in one go or in pieces, which takes more rounds: the cheaper path counts.
    round = [...next].flatMap(([key, to]) => {
      const known = all.get(key)
      if (known !== undefined && !isLess(to.cost, known.cost)) return []
      all.set(key, to)
      return [to]
    })
  }
  return new Map([...all].map(([key, { cost }]) => [key, cost]))
}

/** Places at which nobody is down who waits for his start. */
export function restingPlaces(reached: ReadonlyMap<Key, Cost>): readonly Key[] {
  return [...reached.keys()].filter((key) => !key.includes('.'))
}

export function isLess(a: Cost, b: Cost): boolean {
  const at = a.findIndex((value, index) => value !== b[index])
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0)
}

export function keyOf(places: readonly (readonly [step: number, piece: number])[]): Key {
  return places.map(([step, piece]) => (piece === 0 ? String(step) : `${step}.${piece}`)).join(' ')
}

/** Per queue and step, how many of the approvals count, the first ones; undefined: none. */
export type Counts = readonly (readonly number[])[] | undefined

function stepsFrom({ queues, policy }: SearchProblem, from: Reached, counts: Counts): readonly Reached[] {
  const down = from.places.filter(([, piece]) => piece > 0).length
  return queues.flatMap(({ steps }, index) => {
    const [step = 0, piece = 0] = from.places[index] ?? []
    const next = steps[step]
    if (next === undefined) return []
    const pieces = next.pieces ?? []
    const part = pieces[piece]
    const end = step + next.covers
    const after = piece + 1 === pieces.length ? ([end, 0] as const) : ([step, piece + 1] as const)
    const paths: readonly (readonly [Candidate, readonly [number, number], number])[] = [
      ...(piece === 0 && next.whole !== false ? [[next, [step + 1, 0], step] as const] : []),
      ...(part === undefined ? [] : [[part, after, end - 1] as const]),
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
      return [{ places: from.places.with(index, to), state: simulate(from.state, action, subject), cost }]
    })
  })
}
