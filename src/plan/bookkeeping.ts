import { type Action, hostItself } from '../model/action.ts'
import { type Bookkeeping, bookkeepingLabels as labels } from '../model/bookkeeping.ts'
import { rollbackAfterS } from '../model/rollback-timer.ts'

/** An action, and what happens to the rollback timer of its service. */
export interface ActionWithTimer {
  readonly action: Action
  /** `arm`: a running server is replaced, and the host can roll back alone. `keep`: the timer of an earlier run stays armed. */
  readonly timer?: 'arm' | 'keep'
}

/** Rollback timers of earlier runs on the host. */
export interface EarlierTimers {
  /** Services with an armed timer, which this run proves first. */
  readonly unsettled: readonly string[]
  /** Whether there are timers that have acted. */
  readonly restored: boolean
}

const silence = `${rollbackAfterS} s without a heartbeat from converge`

/**
 * What a run does on a host around the steps of these actions, and about the timers of earlier runs. Empty if there are no actions and no such
 * timers. Each step is also logged in `audit.log`, in the same command.
 *
 * @param root the folder of converge on the host, absolute
 */
export function bookkeepingOf(
  root: string,
  acted: readonly ActionWithTimer[],
  { unsettled, restored }: EarlierTimers,
): readonly Bookkeeping[] {
  if (acted.length + unsettled.length === 0) return []
  const lock = `${root}/lock`
  const timers = `${root}/deadman`
  const timed = new Map(acted.flatMap(({ action, timer }) => (timer === undefined ? [] : [[action.service, timer] as const])))
  const removals = new Map(acted.map(({ action }) => [action.service, forgets(action)] as const))
  removals.delete(hostItself)
  return [
    { label: labels.takeLock, path: lock },
    { label: labels.keepLock, path: lock },
    ...unsettled.map((service) => ({
      label: labels.settleTimer(service),
      path: timers,
      note: settleNote,
      interrupts: true as const,
    })),
    ...(acted.length === 0 ? [] : [{ label: labels.claimPlan, path: `${root}/plans`, note: 'only for a saved plan' }]),
    ...[...timed].map(([service, timer]) =>
      timer === 'keep'
        ? { label: labels.keepTimer(service), path: timers }
        : {
            label: labels.armTimer(service),
            path: timers,
            note: `after ${silence}, the host runs the steps under "if it fails"`,
          },
    ),
    ...(timed.size === 0 ? [] : [{ label: labels.disarmTimer, path: timers }]),
    ...[...removals].map(([service, removed]) => ({
      label: removed ? labels.forgetRecord(service) : labels.writeRecord(service),
      path: `${root}/applied/${service}.json`,
    })),
    ...(restored ? [{ label: labels.forgetTimers, path: timers }] : []),
    { label: labels.releaseLock, path: lock },
  ]
}

function forgets({ kind }: Action): boolean {
  return kind === 'remove' || kind === 'release'
}

const settleNote = 'an earlier run replaced it and did not confirm that it works'
