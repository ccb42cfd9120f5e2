import type { Clock } from '../time/clock.ts'

export interface PollOptions {
  readonly timeoutMs: number
  readonly clock: Clock
  readonly signal?: AbortSignal
  /** The first pause; each further one is 1.6 times as long, up to `maxDelayMs`. */
  readonly firstDelayMs?: number
  readonly maxDelayMs?: number
}

export type Polled<T> =
  | { readonly ended: 'answered'; readonly value: T }
  | { readonly ended: 'deadline' }
  | { readonly ended: 'interrupted' }

/**
 * Asks until there is an answer (anything but `undefined`): at once, after growing pauses, and a last time at the deadline,
 * so that even a short timeout asks at least once.
 *
 * @param ask receives the remaining milliseconds
 */
export async function poll<T>(ask: (leftMs: number) => Promise<T | undefined>, options: PollOptions): Promise<Polled<T>> {
  const { timeoutMs, clock, signal, firstDelayMs = 250, maxDelayMs = 5000 } = options
  const deadline = clock.now() + timeoutMs
  let pause = firstDelayMs
  for (;;) {
    const left = deadline - clock.now()
    const value = await ask(Math.max(0, left))
    if (value !== undefined) return { ended: 'answered', value }
    if (isAborted(signal)) return { ended: 'interrupted' }
    if (left <= 0) return { ended: 'deadline' }
    await clock.sleep(Math.min(pause, Math.max(0, deadline - clock.now())), signal)
    if (isAborted(signal)) return { ended: 'interrupted' }
    pause = Math.min(pause * 1.6, maxDelayMs)
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}
