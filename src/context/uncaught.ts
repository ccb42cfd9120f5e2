/** An exception that was not caught, usually from an event handler of a library. */
export interface Uncaught {
  happened(): boolean
}

interface Program {
  on(name: 'uncaughtException', handler: (error: unknown) => void): unknown
}

interface UncaughtHandlers {
  /** @param then a sentence about the consequence */
  readonly say: (error: unknown, then: string) => void
  /** Starts nothing new: current steps are finished or rolled back, locks are released, and a report is written. */
  readonly giveUp: () => void
  readonly endNow: () => void
}

/** Limit for work that the exception broke. Longer than a rollback: half a rollback is the worst outcome. */
const patienceMs = 15 * 60_000

/**
 * Exiting at once, as Node does, would leave hosts in the middle of a step. The run ends as after an interrupt, and reports a bug; a second
 * exception, or a quarter of an hour without an end, ends it at once.
 */
export function watchUncaught(from: Program, { say, giveUp, endNow }: UncaughtHandlers): Uncaught {
  let happened = false
  from.on('uncaughtException', (error) => {
    if (happened) {
      say(error, 'It is the second one, so converge ends at once; `converge resume` checks the steps whose outcome is unknown.')
      endNow()
      return
    }
    happened = true
    say(error, 'Current steps are finished or rolled back, and nothing new is started.')
    giveUp()
    setTimeout(endNow, patienceMs).unref()
  })
  return { happened: () => happened }
}
