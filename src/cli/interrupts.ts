import { type ExitCode, exitCodes } from './exit-code.ts'

/** Two-stage interrupt: the first SIGINT or SIGTERM aborts `signal`, the second ends the program at once with 130. */
export interface Interrupts {
  readonly signal: AbortSignal
  stop(): void
}

export function watchInterrupts(from: NodeJS.Process, endNow: (code: ExitCode) => void): Interrupts {
  const controller = new AbortController()
  const onSignal = () => {
    if (controller.signal.aborted) {
      from.stderr.write(
        '\nEnded at once. What was in flight is in doubt: `converge plan` sees what came of it.\n' +
          'A lock that was left on a host frees itself after two minutes.\n',
      )
      endNow(exitCodes.interrupted)
    }
    from.stderr.write('\nInterrupted: the step in flight is finished, no new one starts. Once more ends at once.\n')
    controller.abort()
  }
  from.on('SIGINT', onSignal)
  from.on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    stop: () => {
      from.off('SIGINT', onSignal)
      from.off('SIGTERM', onSignal)
    },
  }
}
