import type { Refusal } from '../../model/refusal.ts'
import type { Judgement } from '../../policy/judge-action.ts'
import type { Candidate } from '../schedule.ts'
import { endless } from './budget.ts'
import { goAlone } from './core.ts'
import { partOf } from './part-of.ts'
import { createWalk, type Goals, type Spot, type Walk, type World } from './walk.ts'

/** How far each service would get if it were alone on its host: no order gets it farther. What is momentary is nobody's wish. */
export function capsOf(walk: Walk, leave: boolean): Goals {
  return walk.world.tracks.map(({ service, steps }) => {
    const wished = steps.findIndex(({ action }) => action.momentary === true)
    const { walk: alone } = partOf(walk, [], (one) => one === service)
    const { spot } = goAlone(alone, [wished < 0 ? steps.length : wished], leave)
    return spot.places[0]?.step ?? 0
  })
}

/** The first action of a service that would be refused even if it were alone on its host. */
export function firstBarred(
  world: World,
  service: string,
): { readonly candidate: Candidate; readonly judgement: Judgement } | undefined {
  const { walk } = partOf(createWalk({ ...world, budget: endless }), [], (one) => one === service)
  const goals = walk.world.tracks.map(({ steps }) => steps.length)
  const { spot } = goAlone(walk, goals, true)
  const move = walk.moves(spot, goals).find(({ splits }) => splits !== 'by choice')
  return move === undefined ? undefined : { candidate: move.candidate, judgement: walk.judge(spot, move) }
}

/** All that stands against the actions of a service even if it were alone on its host, as far as leave gets it there. */
export function refusalsAlone(world: World, service: string): readonly Refusal[] {
  const { walk } = partOf(createWalk({ ...world, budget: endless }), [], (one) => one === service)
  const goals = walk.world.tracks.map(({ steps }) => steps.length)
  const { moves } = goAlone(walk, goals, true)
  let spot = walk.root
  const found: Refusal[] = []
  for (const move of moves) {
    found.push(...walk.judge(spot, move).refusals)
    spot = walk.go(spot, move)
  }
  const next = walk.moves(spot, goals).find(({ splits }) => splits !== 'by choice')
  return next === undefined ? found : [...found, ...walk.judge(spot, next).refusals]
}

/** Consents that would be needed from a spot on even if each service were alone on its host. */
export function neededByEach(walk: Walk, goals: Goals, from: Spot): number {
  return walk.world.tracks.reduce((sum, { service }, index) => {
    const { walk: alone, goals: own } = partOf(walk, goals, (one) => one === service)
    const begin = from.places[index]?.step ?? 0
    let spot = alone.root
    let needed = 0
    for (const move of goAlone(alone, own, true).moves) {
      if ((spot.places[0]?.step ?? 0) >= begin) needed += alone.judge(spot, move).refusals.length
      spot = alone.go(spot, move)
    }
    return sum + needed
  }, 0)
}
