import { assertNever } from '../errors/assert-never.ts'
import type { RollbackTimer } from '../model/rollback-timer.ts'

/** A timer on a host in a few words, without the name of its service. */
export function rollbackTimerWords({ state, alive, at }: RollbackTimer): string {
  const when = new Date(at * 1000).toISOString()
  switch (state) {
    case 'armed':
      return alive
        ? 'waits to be confirmed; without that the host puts it back'
        : `was never confirmed; nothing looks since ${when}`
    case 'acting':
      return alive ? 'is being put back by the host' : `was being put back by the host until ${when}`
    case 'undone':
      return `the host put it back at ${when}`
    case 'failed':
      return `the host could not put it back, and gave up at ${when}`
    case 'spared':
      return `the host left it as it was at ${when}: somebody else had changed its files`
    default:
      return assertNever(state)
  }
}
