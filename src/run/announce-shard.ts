import type { Context } from '../context/context.ts'
import { shardSentence } from '../report/shard-text.ts'
import type { OpenFleet } from './open-fleet.ts'

/** Before anything is asked of a host: which part of the selected hosts the run takes, and who said so. */
export function announceShard(
  { err }: Pick<Context, 'err'>,
  { shard }: OpenFleet,
  { quiet }: { readonly quiet?: true | undefined },
): void {
  if (shard === undefined || quiet === true) return
  err.writeProse(`${shardSentence(shard.shard)}\n`)
}
