import pLimit from 'p-limit'
import type { LiveLook } from '../../report/live-status.ts'
import type { Run } from '../run.ts'
import { HostWatch } from './host-watch.ts'

export interface WatchSettings {
  readonly intervalMs: number
  /** Wait for the first look at every host before the first `show`. */
  readonly waitsForAll: boolean
  /** Called after each look, with the newest of every host. */
  readonly show: (look: LiveLook) => void
  /** Ends the watch. */
  readonly signal: AbortSignal
}

/** The part of an interval that a look may take before it is shown without the hosts that are slower. */
const share = 0.75

/** Looks at all selected hosts until it is ended. A slow host delays no other: its next look begins when its last one is over. */
export async function watchFleet(run: Run, { intervalMs, waitsForAll, show, signal }: WatchSettings): Promise<void> {
  const { context, open, flags } = run
  const limit = pLimit(flags.forks)
  const watches = open.hosts.map((host) => new HostWatch(run, host, host.services.filter(open.selects), (work) => limit(work)))
  const now = (): LiveLook => ({ at: context.now().toISOString(), hosts: watches.map(({ state }) => state) })
  try {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const due = context.clock.now() + intervalMs
      const looks = Promise.all(watches.map((one) => one.look()))
      // An interrupt ends the watch by the signal.
      looks.catch(() => undefined)
      const ended = isFirst && waitsForAll ? [] : [context.clock.sleep(intervalMs * share, signal)]
      await Promise.race([looks, ...ended]).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      if (signal.aborted) return
      show(now())
      await context.clock.sleep(Math.max(0, due - context.clock.now()), signal)
    }
  } finally {
    for (const one of watches) one.end()
  }
}
