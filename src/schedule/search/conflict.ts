import type { Candidate } from '../schedule.ts'
import { capsOf } from './caps.ts'
import { choices } from './choices.ts'
import { partOf, present } from './part-of.ts'
import type { Goals, Search } from './search.ts'
import { solve } from './solve.ts'

/** Larger sets would not explain anything. */
const most = 5

/**
 * The smallest set of services, including the action's own, that no order brings to the desired state even with no other service of the fleet on
 * the host. The first such set by position. A service that would be refused even alone keeps its state. Undefined: no other service blocks the
 * action, or too many do.
 */
export function smallestConflict(search: Search, { action, subject }: Candidate): readonly string[] | undefined {
  const service = subject.service.name
  const caps = capsOf(search, true)
  const own = search.problem.queues.findIndex((queue) => queue.service === service)
  const within = search.problem.queues[own]?.steps.slice(0, caps[own]).some((step) => step.action.id === action.id)
  if (within !== true) return undefined
  const names = [...new Set([...search.problem.queues.map((queue) => queue.service), ...present(search.problem.start)])]
  const others = names.filter((name) => name !== service)
  for (let size = 0; size < Math.min(most, names.length); size += 1) {
    for (const some of choices(others, size)) {
      const all = names.filter((name) => name === service || some.includes(name))
      if (!canDo(search, caps, all) && canDo(search, caps, some)) return all
    }
  }
  return undefined
}

function canDo(search: Search, caps: Goals, services: readonly string[]): boolean {
  const { search: part, goals } = partOf(search, caps, (name) => services.includes(name))
  return solve(part, { from: part.root, goals, byApproval: true }) !== undefined
}
