import { consentsEnough } from '../../policy/consents.ts'
import type { Judgement } from '../../policy/judge-action.ts'
import type { HostState } from '../../simulate/host-state.ts'
import { mayHaveMore, simulate } from '../../simulate/simulate.ts'
import { type Court, judgeCandidate } from '../judge-candidate.ts'
import type { Candidate } from '../schedule.ts'
import { type Budget, spend } from './budget.ts'

/** What is planned for one service, in order. */
export interface Track {
  readonly service: string
  readonly steps: readonly Candidate[]
  /** Of each step its place in the preferred order of all actions of the host. */
  readonly ranks: readonly number[]
  /**
   * Of each step how many of the consents count for it, the first ones; absent: all. What is done without the later ones needs none of
   * them: they would only make room for others.
   */
  readonly consents?: readonly number[]
}

/** A host, what may be done on it, and who judges that. */
export interface World {
  readonly tracks: readonly Track[]
  readonly start: HostState
  readonly court: Court
  readonly budget: Budget
}

/** How far each service has come: the host's state follows from that alone, in whatever order it came about. */
export interface Spot {
  readonly key: string
  /** Per track. */
  readonly places: readonly Place[]
  readonly state: HostState
}

/** `step` steps are done, and of the next one `piece` pieces: then its server is down for a while. */
interface Place {
  readonly step: number
  readonly piece: number
}

/** One action that could be done next. */
export interface Move {
  readonly candidate: Candidate
  readonly track: number
  /** Where its track is after it. */
  readonly to: Place
  /** Its track's step that it does, or is to help to do: of pieces the last one whose place they take. */
  readonly step: number
  /** Where it stands among others: what ends a downtime first, what begins one last, the preferred order between. */
  readonly rank: number
  /** It takes a server down that this plan starts again: where it could also be replaced in one go, or where it may not. */
  readonly splits: 'by choice' | 'as agreed' | false
}

/** A way through a world. Spots and judgements are made once and remembered. */
export interface Walk {
  readonly world: World
  readonly root: Spot
  /** What could be done next, in order of rank, as far as the goals ask for it. */
  moves(spot: Spot, goals: Goals): readonly Move[]
  judge(spot: Spot, move: Move): Judgement
  go(spot: Spot, move: Move): Spot
  /** The spot at which each track has done so many whole steps. */
  spotAt(goals: Goals): Spot
}

/** Per track: how many of its steps are to be done. */
export type Goals = readonly number[]

/** One track per service, in the order in which services appear; `candidates` are in preferred order. */
export function tracksOf(candidates: readonly Candidate[]): readonly Track[] {
  const byService = Map.groupBy(candidates, ({ subject }) => subject.service.name)
  return [...byService].map(([service, some]) => {
    const steps = some.toSorted((a, b) => a.after.length - b.after.length)
    return { service, steps, ranks: steps.map((step) => candidates.indexOf(step)) }
  })
}

export function createWalk(world: World): Walk {
  const { tracks, start, court, budget } = world
  const spots = new Map<string, Spot>()
  const judgements = new Map<string, Judgement>()
  const spotFor = (places: readonly Place[], state: () => HostState): Spot => {
    const key = places.map(({ step, piece }) => `${step}.${piece}`).join(' ')
    const known = spots.get(key)
    if (known !== undefined) return known
    const spot = { key, places, state: state() }
    spots.set(key, spot)
    return spot
  }
  const movesOf = ({ places }: Spot, track: number, goal: number): readonly Move[] => {
    const { step, piece } = places[track] ?? { step: 0, piece: 0 }
    const next = step < goal ? tracks[track]?.steps[step] : undefined
    if (next === undefined) return []
    const { pieces = [], whole, covers } = next
    const rank = tracks[track]?.ranks[step] ?? 0
    const end = step + covers
    const part = end > goal ? undefined : pieces[piece]
    const after = piece + 1 === pieces.length ? { step: end, piece: 0 } : { step, piece: piece + 1 }
    const ofPiece = { track, to: after, step: end - 1 }
    if (piece > 0) return part === undefined ? [] : [{ candidate: part, ...ofPiece, rank: rank - late, splits: false }]
    const splits = whole === false ? 'as agreed' : 'by choice'
    const inOneGo = { candidate: next, track, to: { step: step + 1, piece: 0 }, step, rank, splits: false } as const
    return [
      ...(whole === false ? [] : [inOneGo]),
      ...(part === undefined ? [] : [{ candidate: part, ...ofPiece, rank: rank + late, splits } as const]),
    ]
  }
  const root = spotFor(
    tracks.map(() => ({ step: 0, piece: 0 })),
    () => start,
  )
  return {
    world,
    root,
    go: (spot, { candidate: { action, subject }, track, to }) =>
      spotFor(spot.places.with(track, to), () => simulate(spot.state, action, subject)),
    moves: (spot, goals) => goals.flatMap((goal, index) => movesOf(spot, index, goal)).toSorted((a, b) => a.rank - b.rank),
    judge: (spot, { candidate }) => {
      const id = `${spot.key} ${candidate.action.id}`
      const known = judgements.get(id)
      if (known !== undefined) return known
      spend(budget)
      const judgement = judgeCandidate(candidate, spot.state, court)
      judgements.set(id, judgement)
      return judgement
    },
    spotAt: (goals) =>
      spotFor(
        goals.map((step) => ({ step, piece: 0 })),
        () =>
          goals
            .flatMap((goal, index) => tracks[index]?.steps.slice(0, goal) ?? [])
            .reduce((state, { action, subject }) => simulate(state, action, subject), start),
      ),
  }
}

/** More than a host ever has actions. */
const late = 1_000_000

/** Services that are down at a spot until their own start. */
export function openWindows({ places }: Spot): number {
  return places.filter(({ piece }) => piece > 0).length
}

/**
 * Consents that an action takes at a spot; undefined: it may not be done there. Leave is for what somebody wants: what is started for
 * a moment alone is left out sooner.
 */
export function consentsFor(walk: Walk, spot: Spot, move: Move, leave: boolean): number | undefined {
  const { refusals } = walk.judge(spot, move)
  if (refusals.length === 0) return 0
  const { action } = move.candidate
  if (!leave || action.momentary === true) return undefined
  const { tracks, court } = walk.world
  const enough = consentsEnough(refusals, action.host, court.leave)
  const counting = tracks[move.track]?.consents?.[move.step] ?? court.leave.consents.length
  return enough === undefined || enough > counting ? undefined : refusals.length
}

/**
 * It takes nothing that another action could need, so that it can be done as soon as it may. What is written for a server that runs on
 * takes what that may then have more of.
 */
export function takesNothing(walk: Walk, spot: Spot, move: Move): boolean {
  const { action } = move.candidate
  if (action.starts || action.temporary !== undefined) return false
  return !mayHaveMore(action.service, spot.state, walk.go(spot, move).state)
}
