import type { Candidate } from '../schedule.ts'
import { capsOf } from './caps.ts'
import { choices } from './choices.ts'
import { partOf, present } from './part-of.ts'
import { solve } from './solve.ts'
import type { Goals, Walk } from './walk.ts'

/** Larger sets would explain nothing. */
const most = 5

/**
 * The smallest set of services, the action's own among them, whose wishes cannot all be met in any order although nothing else of the
 * fleet is on the host; the first such set by place. A service that would be refused even if it were alone stays as it is there.
 * Undefined: it is not others that stand in the way, or too many of them.
 */
export function smallestConflict(walk: Walk, { action, subject }: Candidate): readonly string[] | undefined {
  const service = subject.service.name
  const wishes = capsOf(walk, true)
  const own = walk.world.tracks.findIndex((track) => track.service === service)
  const within = walk.world.tracks[own]?.steps.slice(0, wishes[own]).some((step) => step.action.id === action.id)
  if (within !== true) return undefined
  const names = [...new Set([...walk.world.tracks.map((track) => track.service), ...present(walk.world.start)])]
  const others = names.filter((name) => name !== service)
  for (let size = 0; size < Math.min(most, names.length); size += 1) {
    for (const some of choices(others, size)) {
      const all = names.filter((name) => name === service || some.includes(name))
      if (!canDo(walk, wishes, all) && canDo(walk, wishes, some)) return all
    }
  }
  return undefined
}

function canDo(walk: Walk, wishes: Goals, services: readonly string[]): boolean {
  const { walk: part, goals } = partOf(walk, wishes, (name) => services.includes(name))
  return solve(part, { from: part.root, goals, leave: true }) !== undefined
}
