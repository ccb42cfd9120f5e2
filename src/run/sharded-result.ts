import { isObject } from '../lib/json-object.ts'
import type { Result } from '../report/index.ts'
import { shardSentence, shardWords } from '../report/shard-text.ts'
import type { OpenFleet } from './open-fleet.ts'

/** The result with its shard, in every format, so that a part is not taken for the whole. */
export function shardedResult(result: Result, open: OpenFleet | undefined): Result {
  const { document } = result
  const shard = open?.shard?.shard
  if (shard === undefined || !isObject(document) || document['shard'] !== undefined) return result
  return {
    ...result,
    document: { ...document, shard },
    // Names of hosts are piped into other programs.
    text: (paint) =>
      document['schema'] === 'converge/hosts/v1' ? result.text(paint) : `${result.text(paint)}${shardSentence(shard)}\n`,
    ...(result.overview === undefined ? {} : { overview: headedBy(shardWords(shard), result) }),
  }
}

function headedBy(words: string, result: Result): NonNullable<Result['overview']> {
  return (around) => {
    const overview = result.overview?.(around)
    if (overview === undefined) throw new TypeError('the result has no overview')
    return { ...overview, headline: `${words}: ${overview.headline}` }
  }
}
