import { assertNever } from '../errors/assert-never.ts'
import type { RollbackTimer } from '../model/rollback-timer.ts'

/** A timer on a host in a few words, without the name of its service. */
export function rollbackTimerWords({ state, alive, at }: RollbackTimer): string {
  const when = new Date(at * 1000).toISOString()
  switch (state) {
    case 'armed':
      return alive
        ? 'unconfirmed; the host rolls it back unless a run confirms it'
        : `unconfirmed; the rollback timer stopped at ${when}`
    case 'acting':
      return alive ? 'the host is rolling it back' : `the host was rolling it back until ${when}`
    case 'undone':
      return `the host rolled it back at ${when}`
    case 'failed':
      return `the host failed to roll it back, and gave up at ${when}`
    case 'spared':
      return `the host did not roll it back at ${when}: its files had been edited`
    default:
      return assertNever(state)
  }
}
