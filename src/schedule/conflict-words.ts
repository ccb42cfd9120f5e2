import type { Candidate } from './schedule.ts'
import { SearchCut } from './search/budget.ts'
import { smallestConflict } from './search/conflict.ts'
import { createSearch, type SearchProblem } from './search/search.ts'

/** Judged actions: enough for all pairs and threes of a dozen services, and a note is not worth more. */
const perRefusal = 2000

/** What blocks an action besides itself, as evidence of its refusal: services that cannot all have what they want. */
export function conflictWords(problem: SearchProblem, candidate: Candidate, cut: boolean): readonly string[] {
  const { host } = candidate.subject
  const tried = cut ? ['not every order was tried: there are too many of them'] : []
  const conflict = conflictOf(problem, candidate)
  if (conflict === undefined || conflict.length < 2) return tried
  const names = host.services.map(({ name }) => name).filter((name) => conflict.includes(name))
  const all = names.length === 2 ? 'both' : 'all'
  return [
    ...tried,
    `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''} cannot ${all} be as wanted, in whatever order: that is the smallest set that conflicts`,
  ]
}

function conflictOf(problem: SearchProblem, candidate: Candidate): readonly string[] | undefined {
  try {
    return smallestConflict(createSearch({ ...problem, budget: { left: perRefusal } }), candidate)
  } catch (error) {
    if (error instanceof SearchCut) return undefined
    throw error
  }
}
