import type { Action } from '../model/action.ts'
import type { ServiceDowntime } from '../model/plan.ts'
import { restartsCheaply } from '../servers/traits.ts'
import { aboutSeconds, mostWords, warmUpOf } from '../simulate/downtime.ts'
import { paceOf } from './pace.ts'
import type { Candidate } from './schedule.ts'

/**
 * The schedule with its downtimes, as far as they are known, and their services. A server that is stopped temporarily is down until its own
 * start has taken effect.
 */
export function reckonDowntimes(done: readonly Candidate[]): {
  readonly done: readonly Candidate[]
  readonly downtimes: readonly ServiceDowntime[]
} {
  const reckoned = done.map((candidate, index) =>
    isTemporaryStop(candidate) ? withDowntime(candidate, done.slice(index)) : candidate,
  )
  const downtimes = reckoned.flatMap(({ action }, index): readonly ServiceDowntime[] => {
    const until = action.temporary === undefined ? action : ownStart(action, done.slice(index))
    if (!action.interrupts || until?.starts !== true) return []
    return [{ service: action.service, seconds: action.downtime_s ?? null, from: action.id, until: until.id }]
  })
  return { done: reckoned, downtimes }
}

function isTemporaryStop({ action }: Candidate): boolean {
  return action.temporary !== undefined
}

function withDowntime(stop: Candidate, rest: readonly Candidate[]): Candidate {
  const { action, subject } = stop
  const waits = action.wait_idle_s !== undefined
  const end = rest.findIndex((one) => one.action === ownStart(action, rest))
  const between = rest.slice(0, end).map(secondsOf)
  const seconds = [...between, warmUpOf(subject)?.seconds ?? null].reduce(
    (sum, one) => (sum === null || one === null ? null : sum + one),
    0,
  )
  const until = 'until it is started again'
  const downtime = seconds === null ? until : `${aboutSeconds(seconds)}, ${until}${waits ? '' : mostWords(seconds, subject)}`
  return { ...stop, action: { ...action, downtime, downtime_s: seconds } }
}

function ownStart({ service }: Action, rest: readonly Candidate[]): Action | undefined {
  return rest.find(({ action }) => action.service === service && action.starts)?.action
}

/** A replaced Kind A is proved before the next action. */
function secondsOf({ action, subject }: Candidate): number | null {
  const proved = action.interrupts && action.starts && restartsCheaply(subject.service.kind)
  return proved ? (action.downtime_s ?? null) : paceOf(action)
}
