import type { Candidate } from '../schedule.ts'
import { capsOf } from './caps.ts'
import { choices } from './choices.ts'
import { partOf, present } from './part-of.ts'
import type { Goals, Search } from './search.ts'
import { solve } from './solve.ts'

/** Larger sets would explain nothing. */
const most = 5

/**
 * The smallest set of services, the action's own among them, whose wishes cannot all be met in any order although nothing else of the
 * fleet is on the host; the first such set by place. A service that would be refused even if it were alone stays as it is there.
 * Undefined: nothing else blocks it, or too much does.
 */
export function smallestConflict(search: Search, { action, subject }: Candidate): readonly string[] | undefined {
  const service = subject.service.name
  const wishes = capsOf(search, true)
  const own = search.problem.queues.findIndex((queue) => queue.service === service)
  const within = search.problem.queues[own]?.steps.slice(0, wishes[own]).some((step) => step.action.id === action.id)
  if (within !== true) return undefined
  const names = [...new Set([...search.problem.queues.map((queue) => queue.service), ...present(search.problem.start)])]
  const others = names.filter((name) => name !== service)
  for (let size = 0; size < Math.min(most, names.length); size += 1) {
    for (const some of choices(others, size)) {
      const all = names.filter((name) => name === service || some.includes(name))
      if (!canDo(search, wishes, all) && canDo(search, wishes, some)) return all
    }
  }
  return undefined
}

function canDo(search: Search, wishes: Goals, services: readonly string[]): boolean {
  const { search: part, goals } = partOf(search, wishes, (name) => services.includes(name))
  return solve(part, { from: part.root, goals, byApproval: true }) !== undefined
}
