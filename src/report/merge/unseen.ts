import { ConvergeError } from '../../errors/converge-error.ts'
import { shardOfHost } from '../../inventory/shard-of-host.ts'
import type { Problem } from '../../model/plan.ts'
import type { MergedShards } from '../../model/shard.ts'
import { missingWords } from '../shard-text.ts'
import { notLookedAt } from './not-looked-at.ts'

/** A host that no merged document covers, and why. */
export interface Unseen {
  readonly host: string
  readonly problem: Problem
  /** Number of hosts that it stands for, because their names are not known; absent: itself. */
  readonly standsFor?: number
}

/**
 * What no document covers: by name where the inventory is known, else one entry for all missing shards.
 *
 * @param whole names of all hosts of the inventory
 */
export function unseenHosts(
  seen: ReadonlySet<string>,
  whole: readonly string[] | undefined,
  shards: MergedShards | undefined,
): readonly Unseen[] {
  const isMissing = new Set(shards?.missing)
  if (whole !== undefined)
    return whole
      .filter((host) => !seen.has(host))
      .map((host) => {
        const index = shards === undefined ? 0 : shardOfHost(host, shards.of)
        const problem = shards === undefined || !isMissing.has(index) ? notLookedAt(host) : shardMissing(shards, index)
        return { host, problem }
      })
  if (shards === undefined || shards.unknown_hosts === 0) return []
  const host = `(${shards.missing.length === 1 ? 'shard' : 'shards'} ${shards.missing.map((index) => `${index}/${shards.of}`).join(', ')})`
  return [{ host, problem: shardMissing(shards), standsFor: shards.unknown_hosts }]
}

/** Hosts beyond the entries that stand for them. */
export function uncounted(unseen: readonly Unseen[]): number {
  return unseen.reduce((sum, { standsFor = 1 }) => sum + standsFor - 1, 0)
}

/** @param index absent: all missing shards */
function shardMissing({ of, missing, run_id, unknown_hosts: unknown }: MergedShards, index?: number): Problem {
  const again = index ?? missing[0] ?? 1
  return new ConvergeError('REPORT.SHARD_MISSING', {
    summary: index === undefined ? `${missingWords(missing, of, unknown)}.` : `Shard ${index}/${of} is missing.`,
    why: 'None of the merged documents is of it. Its job failed before it had a result, was killed, or its file was not given.',
    next: [
      `Run ${index === undefined && missing.length > 1 ? 'each of them' : 'it'} again as the others were run, with \`--shard ${again}/${of}${run_id === undefined ? '' : ` --run-id ${run_id}`}\`; then merge all documents again.`,
    ],
  }).toProblem()
}
