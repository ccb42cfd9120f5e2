import type { LifeSign } from '../model/life-sign.ts'
import type { SmokeDeps } from './smoke-deps.ts'

/** How a wait ended for reasons other than the server's answer. */
export type Ending =
  | { readonly kind: 'dead'; readonly detail: string }
  | { readonly kind: 'deadline' }
  | { readonly kind: 'interrupted' }

type LifeDeps = Pick<SmokeDeps, 'alive' | 'clock' | 'note' | 'signal'>

const firstLookMs = 2000
const slowestLookMs = 15_000

/** Whether a server's process runs, and is still the one that ran when watching began. */
export interface LifeWatch {
  /** Checks now. */
  look(): Promise<Ending | undefined>
  /**
   * Does the work, and repeatedly checks the process, the clock and interrupts meanwhile. What ends first ends the other; a signal cancels the
   * work.
   *
   * @param activity progress text for people: `loading`
   */
  during<T>(activity: string, timeoutMs: number, work: (stop: AbortSignal) => Promise<T>): Promise<T | Ending>
}

/** Checks at once, to have a baseline for the number of restarts. A process that is dead then stays dead. */
export async function watchLife(deps: LifeDeps): Promise<LifeWatch> {
  const first = await deps.alive()
  const early = judge(first, first)
  const look = async (): Promise<Ending | undefined> => early ?? judge(first, await deps.alive())
  return {
    look,
    during: async (activity, timeoutMs, work) => early ?? during(deps, look, activity, timeoutMs, work),
  }
}

function judge(first: LifeSign, now: LifeSign): Ending | undefined {
  if (now.state === 'dead') return { kind: 'dead', detail: `the process is not running: ${now.detail}` }
  const restarts = (now.restarts ?? 0) - (first.restarts ?? 0)
  if (restarts <= 0) return undefined
  return { kind: 'dead', detail: `it keeps crashing: its supervisor restarted it ${restarts} times meanwhile (${now.detail})` }
}

async function during<T>(
  deps: LifeDeps,
  look: () => Promise<Ending | undefined>,
  activity: string,
  timeoutMs: number,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T | Ending> {
  const stop = new AbortController()
  const watching = watch(deps, look, activity, timeoutMs, stop.signal)
  const working = work(stop.signal)
  // The signal ends whichever is second; its error no longer matters.
  watching.catch(() => undefined)
  working.catch(() => undefined)
  try {
    return await Promise.race([working, watching])
  } finally {
    stop.abort()
  }
}

/** Resolves only with a reason to end; after `stop` is aborted the result is ignored. */
async function watch(
  { clock, note, signal }: LifeDeps,
  look: () => Promise<Ending | undefined>,
  activity: string,
  timeoutMs: number,
  stop: AbortSignal,
): Promise<Ending> {
  const started = clock.now()
  const wake = signal === undefined ? stop : AbortSignal.any([stop, signal])
  let pause = firstLookMs
  for (;;) {
    const left = started + timeoutMs - clock.now()
    if (left <= 0) return { kind: 'deadline' }
    await clock.sleep(Math.min(pause, left), wake)
    if (stop.aborted || signal?.aborted === true) return { kind: 'interrupted' }
    pause = Math.min(pause * 1.5, slowestLookMs)
    const ending = await look()
    if (ending !== undefined) return ending
    note(`${activity}, ${Math.round((clock.now() - started) / 1000)} s`)
  }
}
