import type { RollbackTimer } from '../model/rollback-timer.ts'
import type { Paint } from './paint.ts'
import { rollbackTimerWords } from './rollback-timer-words.ts'

/** `converge unlock --json`. */
export interface UnlockDocument {
  readonly schema: 'converge/unlock/v1'
  readonly host: string
  /** As it was found; null: nobody held it. */
  readonly lock: LockDocument | null
  readonly removed: boolean
  /** What waits there to be confirmed, or was put back by the host; the lock has no part in that. Null: not known. */
  readonly timers: readonly RollbackTimer[] | null
}

export interface LockDocument {
  /** Null, as what follows: not told, for it left no name. */
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

/** Who holds the lock of a host, for a person who is about to take it away. */
export function renderLock(host: string, lock: LockDocument, paint: Paint): string {
  const rows = [
    [
      'held by',
      lock.owner === null ? 'somebody who left no name' : `${lock.owner} on ${lock.controller ?? 'an unknown machine'}`,
    ],
    ['process', String(lock.pid ?? 'not told')],
    ['run', lock.run_id ?? 'not told'],
    ['since', lock.since ?? 'not told'],
    ['last sign of life', signWords(lock)],
  ] as const
  const lines = rows.map(([name, text]) => `  ${paint(['dim'], name.padEnd(17))}  ${paint.hang}${text}`)
  return `${[`${paint(['bold'], host)}  ${lock.alive ? paint(['yellow'], 'locked') : 'locked by a run that died'}`, ...lines].join('\n')}\n`
}

function signWords({ silent_s: silentS, alive }: LockDocument): string {
  const when = silentS === null ? 'never' : `${silentS} s ago`
  return alive ? `${when}: its run may be at work` : `${when}: the next apply takes it over by itself`
}

/** What is to be told of a lock that somebody holds: who does, what came of taking it away, or both. */
export type UnlockTold = 'holder' | 'outcome' | 'holder-and-outcome'

/** Who holds the lock and what came of it, as far as that was not told while it was asked. */
export function renderUnlock({ timers, ...document }: UnlockDocument, what: UnlockTold, paint: Paint): string {
  const told = timers === null ? ['Whether a server there waits to be confirmed is not known.'] : timers.map(timerLine)
  return `${ending(document, what, paint)}${told.map((line) => `${line}\n`).join('')}`
}

function timerLine(timer: RollbackTimer): string {
  return `${timer.service} was replaced by ${timer.owner} on ${timer.controller}: ${rollbackTimerWords(timer)}.`
}

function ending({ host, lock, removed }: Omit<UnlockDocument, 'timers'>, what: UnlockTold, paint: Paint): string {
  if (lock === null) return `Nobody holds the lock of ${host}.\n`
  if (what === 'holder') return renderLock(host, lock, paint)
  const words = removed
    ? `The lock of ${host} was taken away.\n`
    : `The lock of ${host} was given back in the meantime; nothing was to be taken away.\n`
  return what === 'outcome' ? words : `${renderLock(host, lock, paint)}\n${words}`
}
