import type { HostFacts } from '../../model/facts.ts'
import { isLockDead } from '../../model/lock-lease.ts'
import type { Observed } from '../../model/observed.ts'
import type { References } from '../../model/prune.ts'

/** Why nothing at all may be removed on a host. */
export interface Standstill {
  readonly why: string
  /** Only because a fact is unknown. */
  readonly unknown?: true
}

/**
 * Undefined: files may be removed.
 *
 * @param runId the id of this run, if it holds the lock of the host
 */
export function standstillOf(facts: HostFacts, references: Observed<References>, runId?: string): Standstill | undefined {
  const { lock, journal, rollbackTimers, residents, containers, applied } = facts
  const unseen = firstUnknown({
    'whether a run is active there': lock,
    'whether the last run there finished': journal,
    'whether a rollback is pending there': rollbackTimers,
    'its processes': residents,
    'its containers': containers,
    'what was applied there': applied,
    'what refers to models there': references,
  })
  if (unseen !== undefined) return unseen
  if (lock.known && lock.value !== null && lock.value.runId !== runId && !isLockDead(lock.value))
    return { why: `the run ${lock.value.runId} of ${lock.value.owner}@${lock.value.controller} is active there` }
  if (journal.known && journal.value !== null)
    return { why: `the run ${journal.value.runId} was interrupted there: converge apply settles it` }
  if (rollbackTimers.known && rollbackTimers.value.some(({ state }) => state === 'armed' || state === 'acting'))
    return { why: 'a rollback is pending there' }
  const unread = references.known ? references.value.unread[0] : undefined
  return unread === undefined ? undefined : { why: `unknown: ${unread} cannot be read and may refer to it`, unknown: true }
}

function firstUnknown(asked: Readonly<Record<string, Observed<unknown>>>): Standstill | undefined {
  for (const [what, one] of Object.entries(asked))
    if (!one.known) return { why: `unknown: ${what}: ${one.detail ?? one.because}`, unknown: true }
  return undefined
}
