import type { Flow } from './flow.ts'

/** What one run of a script takes of the memory that all hosts share. */
export interface OutputShare {
  /** So many bytes more are held. */
  take(bytes: number): void
  /** Nothing of it is held any more. */
  release(): void
  /** Nothing is read, for others hold what there is. */
  readonly isWaiting: boolean
}

export interface OutputBudget {
  /** @param flow one for all that comes from the same host, so that nobody waits for himself. */
  open(flow: Flow): OutputShare
}

export interface BudgetLimits {
  /** Each host has so many bytes for itself: more than one with twenty models tells, so that these never wait. */
  readonly own: number
  /** So many hosts at a time may have more than that. */
  readonly large: number
}

const usual: BudgetLimits = { own: 2 * 1024 ** 2, large: 4 }

/**
 * Bounds what the outputs of all hosts take at a time, however many are asked at once. Who has leave for a large output keeps it until that has
 * ended, or has come to the limit of a single one; so nobody waits for somebody who waits.
 */
export function createOutputBudget({ own, large }: BudgetLimits = usual): OutputBudget {
  const held = new WeakMap<Flow, number>()
  const leave = createLeave(large)
  const hold = (flow: Flow, bytes: number): number => {
    const now = (held.get(flow) ?? 0) + bytes
    held.set(flow, now)
    return now
  }
  return {
    open(flow) {
      let mine = 0
      return {
        take(bytes) {
          mine += bytes
          if (hold(flow, bytes) > own) leave.ask(flow)
        },
        release() {
          const left = hold(flow, -mine)
          mine = 0
          if (left <= own) leave.giveBack(flow)
        },
        get isWaiting() {
          return leave.isWaiting(flow)
        },
      }
    },
  }
}

/** For a large output: so many have it at a time, and the others wait. */
function createLeave(large: number) {
  const allowed = new Set<Flow>()
  const waiting = new Set<Flow>()
  const allowNext = (): void => {
    for (const flow of waiting) {
      if (allowed.size >= large) return
      waiting.delete(flow)
      allowed.add(flow)
      // Not at once: who has ended gives its output away first.
      setImmediate(() => flow.resume())
    }
  }
  return {
    ask(flow: Flow): void {
      if (allowed.has(flow)) return
      // Again: a host may have opened a further connection since then.
      if (waiting.has(flow)) flow.pause()
      else if (allowed.size < large) allowed.add(flow)
      else {
        waiting.add(flow)
        flow.pause()
      }
    },
    giveBack(flow: Flow): void {
      allowed.delete(flow)
      if (waiting.delete(flow)) flow.resume()
      allowNext()
    },
    isWaiting: (flow: Flow): boolean => waiting.has(flow),
  }
}

/** For all connections of this process. */
export const outputOfAllHosts = createOutputBudget()
