/** How many actions may still be judged, so that no host keeps the planner for long. */
export interface Budget {
  left: number
}

/** For what is judged whatever it takes. */
export const endless: Budget = { left: Number.POSITIVE_INFINITY }

/** Thrown by a search whose budget is spent; what was found until then stands. */
export class SearchCut extends Error {}

export function spend(budget: Budget): void {
  if (budget.left <= 0) throw new SearchCut('the budget of the search is spent')
  budget.left -= 1
}
