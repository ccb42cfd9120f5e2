import type { Candidate } from './schedule.ts'
import { SearchCut } from './search/budget.ts'
import { smallestConflict } from './search/conflict.ts'
import { createSearch, type SearchProblem } from './search/search.ts'

/** Judged actions per refusal: enough for all pairs and triples of a dozen services. */
const perRefusal = 2000

/** The services that block an action, as evidence of its refusal: the smallest set that conflicts. */
export function conflictWords(problem: SearchProblem, candidate: Candidate, cut: boolean): readonly string[] {
  const { host } = candidate.subject
  const tried = cut ? ['not every order was tried, because there are too many'] : []
  const conflict = conflictOf(problem, candidate)
  if (conflict === undefined || conflict.length < 2) return tried
  const names = host.services.map(({ name }) => name).filter((name) => conflict.includes(name))
  const all = names.length === 2 ? 'both' : 'all'
  return [...tried, `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''} cannot ${all} reach their desired state`]
}

function conflictOf(problem: SearchProblem, candidate: Candidate): readonly string[] | undefined {
  try {
    return smallestConflict(createSearch({ ...problem, budget: { left: perRefusal } }), candidate)
  } catch (error) {
    if (error instanceof SearchCut) return undefined
    throw error
  }
}
