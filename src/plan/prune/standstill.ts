import type { HostFacts } from '../../model/facts.ts'
import { isLockDead } from '../../model/lock-lease.ts'
import type { Observed } from '../../model/observed.ts'
import type { References } from '../../model/prune.ts'

/** Why nothing on a host may be removed, whatever it is. */
export interface Standstill {
  readonly why: string
  /** Only because something is not known. */
  readonly unknown?: true
}

/**
 * Undefined: what refers to models there is known.
 *
 * @param runId of this run where it holds the lock of the host
 */
export function standstillOf(facts: HostFacts, references: Observed<References>, runId?: string): Standstill | undefined {
  const { lock, journal, rollbackTimers, residents, containers, applied } = facts
  const unseen = firstUnknown({
    'whether a run is at work there': lock,
    'whether the last run there came to its end': journal,
    'whether a replaced server may be put back there': rollbackTimers,
    'its processes': residents,
    'its containers': containers,
    'what was applied there': applied,
    'what refers to models there': references,
  })
  if (unseen !== undefined) return unseen
  if (lock.known && lock.value !== null && lock.value.runId !== runId && !isLockDead(lock.value))
    return { why: `the run ${lock.value.runId} of ${lock.value.owner}@${lock.value.controller} is at work there` }
  if (journal.known && journal.value !== null)
    return { why: `the run ${journal.value.runId} did not come to its end there: converge apply settles what it left` }
  if (rollbackTimers.known && rollbackTimers.value.some(({ state }) => state === 'armed' || state === 'acting'))
    return { why: 'a server that was replaced there may still be put back' }
  const unread = references.known ? references.value.unread[0] : undefined
  return unread === undefined ? undefined : { why: `unknown: ${unread} may not be read, and may refer to it`, unknown: true }
}

function firstUnknown(asked: Readonly<Record<string, Observed<unknown>>>): Standstill | undefined {
  for (const [what, one] of Object.entries(asked))
    if (!one.known) return { why: `unknown: ${what}: ${one.detail ?? one.because}`, unknown: true }
  return undefined
}
