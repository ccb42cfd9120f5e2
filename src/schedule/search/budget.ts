/** How many actions may still be judged, so that no host blocks the planner for long. */
export interface Budget {
  left: number
}

/** For searches without a limit. */
export const endless: Budget = { left: Number.POSITIVE_INFINITY }

/** Thrown by a search whose budget is spent; its results so far are valid. */
export class SearchCut extends Error {}

export function spend(budget: Budget): void {
  if (budget.left <= 0) throw new SearchCut('the budget of the search is spent')
  budget.left -= 1
}
