import type { Flow } from './flow.ts'

/** The share of one script's run in the memory that all hosts share. */
export interface OutputShare {
  /** Adds to the bytes in use. */
  take(bytes: number): void
  /** Returns all of its bytes. */
  release(): void
  /** Reading is paused, because other hosts use up the budget. */
  readonly isWaiting: boolean
}

export interface OutputBudget {
  /** @param flow the same for all output of one host, so that a host never waits for itself */
  open(flow: Flow): OutputShare
}

export interface BudgetLimits {
  /** Bytes that each host may always use: more than the output of a host with twenty models, which therefore never waits. */
  readonly own: number
  /** How many hosts may exceed that at a time. */
  readonly large: number
}

const usual: BudgetLimits = { own: 2 * 1024 ** 2, large: 4 }

/**
 * Limits the memory for the outputs of all hosts, however many run concurrently. A host with permission for a large output keeps it until the
 * output ends or reaches the limit for a single one; so no host waits for another that waits.
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

/** Permission for large outputs: a few hosts have it at a time, the others wait. */
function createLeave(large: number) {
  const allowed = new Set<Flow>()
  const waiting = new Set<Flow>()
  const allowNext = (): void => {
    for (const flow of waiting) {
      if (allowed.size >= large) return
      waiting.delete(flow)
      allowed.add(flow)
      // Not at once: a finished run hands over its output first.
      setImmediate(() => flow.resume())
    }
  }
  return {
    ask(flow: Flow): void {
      if (allowed.has(flow)) return
      // Again: the host may have opened another connection since then.
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

/** Shared by all connections of this process. */
export const outputOfAllHosts = createOutputBudget()
