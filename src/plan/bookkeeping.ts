import { type Action, hostItself } from '../model/action.ts'
import { type Bookkeeping, bookkeepingLabels as labels } from '../model/bookkeeping.ts'
import { rollbackAfterS } from '../model/rollback-timer.ts'

/** What is done to a service, and what becomes of its rollback timer. */
export interface Acted {
  readonly action: Action
  /** `arm`: a running server is replaced, with a rollback that the host can do alone. `keep`: the timer of an earlier run goes on. */
  readonly timer?: 'arm' | 'keep'
}

/** What earlier runs left on the host. */
export interface LeftThere {
  /** Services whose timer waits, and that this run proves first. */
  readonly unsettled: readonly string[]
  /** Whether timers that rolled something back are still there. */
  readonly restored: boolean
}

const silence = `${rollbackAfterS} s without a sign of life from converge`

/**
 * What a run does on a host around the steps of these actions, and of what earlier runs left there; empty where there is neither. Each step
 * is written into `audit.log` besides, in the command that does it.
 *
 * @param root converge's folder on the host, absolute
 */
export function bookkeepingOf(root: string, acted: readonly Acted[], { unsettled, restored }: LeftThere): readonly Bookkeeping[] {
  if (acted.length + unsettled.length === 0) return []
  const lock = `${root}/lock`
  const timers = `${root}/deadman`
  const timed = new Map(acted.flatMap(({ action, timer }) => (timer === undefined ? [] : [[action.service, timer] as const])))
  const lasting = new Map(acted.map(({ action }) => [action.service, action.kind === 'remove'] as const))
  lasting.delete(hostItself)
  return [
    { label: labels.takeLock, path: lock },
    { label: labels.keepLock, path: lock },
    ...unsettled.map((service) => ({
      label: labels.settleTimer(service),
      path: timers,
      note: settleNote,
      interrupts: true as const,
    })),
    ...(acted.length === 0 ? [] : [{ label: labels.claimPlan, path: `${root}/plans`, note: 'only of a saved plan' }]),
    ...[...timed].map(([service, timer]) =>
      timer === 'keep'
        ? { label: labels.keepTimer(service), path: timers }
        : {
            label: labels.armTimer(service),
            path: timers,
            note: `after ${silence} the host itself runs what is under "if it fails"`,
          },
    ),
    ...(timed.size === 0 ? [] : [{ label: labels.disarmTimer, path: timers }]),
    ...[...lasting].map(([service, removed]) => ({
      label: removed ? labels.forgetRecord(service) : labels.writeRecord(service),
      path: `${root}/applied/${service}.json`,
    })),
    ...(restored ? [{ label: labels.forgetTimers, path: timers }] : []),
    { label: labels.releaseLock, path: lock },
  ]
}

const settleNote = 'an earlier run replaced it and did not confirm that it works'
