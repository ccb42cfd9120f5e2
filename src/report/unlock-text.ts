import type { RollbackTimer } from '../model/rollback-timer.ts'
import type { Paint } from './paint.ts'
import { rollbackTimerWords } from './rollback-timer-words.ts'

/** `converge unlock --json`. */
export interface UnlockDocument {
  readonly schema: 'converge/unlock/v1'
  readonly host: string
  /** The lock as found; null: the host was not locked. */
  readonly lock: LockDocument | null
  readonly removed: boolean
  /** Servers that wait for confirmation or that the host rolled back, independent of the lock. Null: unknown. */
  readonly timers: readonly RollbackTimer[] | null
}

export interface LockDocument {
  /** Null, as the next ones: unknown, because the holder left no name. */
  readonly owner: string | null
  readonly controller: string | null
  readonly pid: number | null
  readonly run_id: string | null
  /** ISO 8601, the controller's clock. */
  readonly since: string | null
  /** Seconds since the last sign of life, by the host's clock; null: there never was one. */
  readonly silent_s: number | null
  readonly alive: boolean
}

/** The holder of a lock, for a person who is about to remove it. */
export function renderLock(host: string, lock: LockDocument, paint: Paint): string {
  const rows = [
    [
      'held by',
      lock.owner === null ? 'unknown (the holder left no name)' : `${lock.owner} on ${lock.controller ?? 'an unknown machine'}`,
    ],
    ['process', String(lock.pid ?? 'unknown')],
    ['run', lock.run_id ?? 'unknown'],
    ['since', lock.since ?? 'unknown'],
    ['last sign of life', signWords(lock)],
  ] as const
  const lines = rows.map(([name, text]) => `  ${paint(['dim'], name.padEnd(17))}  ${paint.hang}${text}`)
  return `${[`${paint(['bold'], host)}  ${lock.alive ? paint(['yellow'], 'locked') : 'locked by a run that died'}`, ...lines].join('\n')}\n`
}

function signWords({ silent_s: silentS, alive }: LockDocument): string {
  const when = silentS === null ? 'never' : `${silentS} s ago`
  return alive ? `${when}: its run is possibly active` : `${when}: the next apply takes it over`
}

/** Which part to show: the holder of the lock, the outcome of its removal, or both. */
export type UnlockPart = 'holder' | 'outcome' | 'holder-and-outcome'

/** The holder of the lock and the outcome, without what the question showed already. */
export function renderUnlock({ timers, ...document }: UnlockDocument, what: UnlockPart, paint: Paint): string {
  const lines = timers === null ? ['Unknown whether a server there waits for confirmation.'] : timers.map(timerLine)
  return `${ending(document, what, paint)}${lines.map((line) => `${line}\n`).join('')}`
}

function timerLine(timer: RollbackTimer): string {
  return `${timer.service} was replaced by ${timer.owner} on ${timer.controller}: ${rollbackTimerWords(timer)}.`
}

function ending({ host, lock, removed }: Omit<UnlockDocument, 'timers'>, what: UnlockPart, paint: Paint): string {
  if (lock === null) return `${host} is not locked.\n`
  if (what === 'holder') return renderLock(host, lock, paint)
  const words = removed
    ? `The lock of ${host} was removed.\n`
    : `The lock of ${host} was released in the meantime; nothing was removed.\n`
  return what === 'outcome' ? words : `${renderLock(host, lock, paint)}\n${words}`
}
