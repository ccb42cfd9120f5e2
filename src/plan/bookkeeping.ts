import { type Action, hostItself } from '../model/action.ts'
import { type Bookkeeping, bookkeepingLabels as labels } from '../model/bookkeeping.ts'
import { deadmanS } from '../model/deadman-timer.ts'

/** A service of which a running server is replaced, with a rollback that the host can do alone, and what its actions are. */
export interface Acted {
  readonly action: Action
  readonly timer: boolean
}

const timerNote = `after ${deadmanS} s without a sign of life from converge the host itself runs what is under "if it fails"`

/**
 * What a run does on a host around the steps of these actions; empty where there are none. Each step is written into `audit.log` besides, in
 * the command that does it.
 *
 * @param root converge's folder on the host, absolute
 */
export function bookkeepingOf(root: string, acted: readonly Acted[]): readonly Bookkeeping[] {
  if (acted.length === 0) return []
  const lock = `${root}/lock`
  const timers = `${root}/deadman`
  const timed = new Set(acted.filter(({ timer }) => timer).map(({ action }) => action.service))
  const lasting = new Map(acted.map(({ action }) => [action.service, action.kind === 'remove'] as const))
  lasting.delete(hostItself)
  return [
    { label: labels.takeLock, path: lock },
    { label: labels.keepLock, path: lock },
    ...[...timed].map((service) => ({ label: labels.armTimer(service), path: timers, note: timerNote })),
    ...(timed.size === 0 ? [] : [{ label: labels.disarmTimer, path: timers }]),
    ...[...lasting].map(([service, removed]) => ({
      label: removed ? labels.forgetRecord(service) : labels.writeRecord(service),
      path: `${root}/applied/${service}.json`,
    })),
    { label: labels.releaseLock, path: lock },
  ]
}
