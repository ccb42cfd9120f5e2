import type { HostFacts } from '../../model/facts.ts'
import type { Clock } from '../../time/clock.ts'

/** The facts of a host that is watched, and when to gather them again. */
export interface WatchedFacts {
  readonly current: HostFacts | undefined
  readonly isDue: boolean
  gather(): Promise<HostFacts>
  /** Something has changed that they do not explain. */
  hurry(): void
  /** The connection was lost. */
  forget(): void
}

/** A look sees only processes and servers that the facts name, so they are gathered again after a minute. */
const everyMs = 60_000
/** And soon after something changed, but not all the time. */
const apartMs = 10_000
/** On a NAS they take seconds: the host spends at most a tenth of its time on them. */
const share = 10

export function createWatchedFacts(clock: Clock, observe: () => Promise<HostFacts>): WatchedFacts {
  let current: HostFacts | undefined
  let isGathering = false
  let [dueAt, earliest] = [0, 0]
  return {
    get current() {
      return current
    },
    get isDue() {
      return !isGathering && clock.now() >= dueAt
    },
    async gather() {
      isGathering = true
      const started = clock.now()
      try {
        current = await observe()
        return current
      } finally {
        isGathering = false
        const rest = (clock.now() - started) * share
        earliest = started + Math.max(apartMs, rest)
        dueAt = started + Math.max(everyMs, rest)
      }
    },
    hurry() {
      dueAt = Math.min(dueAt, earliest)
    },
    forget() {
      current = undefined
    },
  }
}
