/** An exception that nobody caught, from an event handler of a library as a rule. */
export interface Uncaught {
  happened(): boolean
}

interface Program {
  on(name: 'uncaughtException', handler: (error: unknown) => void): unknown
}

interface UncaughtHandlers {
  /** @param then what is done because of it, in a sentence */
  readonly say: (error: unknown, then: string) => void
  /** Begins nothing new: what is in flight is finished or undone, locks are given back, and a report is written. */
  readonly giveUp: () => void
  readonly endNow: () => void
}

/** For whoever waits for what the exception took along. Longer than a rollback takes: half of one is the worst of all. */
const patienceMs = 15 * 60_000

/**
 * To end at once, as Node does, would leave hosts in the middle of a step. The run ends as after an interrupt, and says that it was a bug; a
 * second exception, or a quarter of an hour in which it does not end, ends it at once.
 */
export function watchUncaught(from: Program, { say, giveUp, endNow }: UncaughtHandlers): Uncaught {
  let happened = false
  from.on('uncaughtException', (error) => {
    if (happened) {
      say(error, 'It is the second one, so converge ends at once; `converge resume` looks at what is in doubt.')
      endNow()
      return
    }
    happened = true
    say(error, 'What is in flight is finished or undone, and nothing new is begun.')
    giveUp()
    setTimeout(endNow, patienceMs).unref()
  })
  return { happened: () => happened }
}
