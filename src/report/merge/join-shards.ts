import { defined } from '../../lib/defined.ts'
import { momentMs } from '../../lib/moment.ts'
import type { MergedShards, ReplacedShard, Shard } from '../../model/shard.ts'

/** A document of one of several processes, and its file. */
interface Given<Document> {
  readonly file: string
  readonly document: Document
}

interface MaybeSharded {
  readonly shard?: Shard
  readonly shards?: MergedShards
}

interface Joined<Part> {
  /** One for each shard that has a document, the first shard first. */
  readonly parts: readonly Part[]
  readonly shards: MergedShards
}

/**
 * The documents of the shards of one run. A shard that was run again counts with its latest document, if all share the id of a run:
 * without one, an earlier document may be of another run.
 *
 * @param timeOf ISO 8601
 * @param mismatch the error for documents that do not belong together
 * @returns undefined: none of them is of a shard
 */
export function joinShards<Document extends MaybeSharded, Part extends Given<Document>>(
  given: readonly Part[],
  timeOf: (document: Document) => string,
  mismatch: (why: string) => Error,
): Joined<Part> | undefined {
  const merged = given.find(({ document }) => document.shards !== undefined)
  if (merged !== undefined) throw mismatch(`${merged.file} was merged from shards before. Merge all shards at once.`)
  const sharded = given.flatMap((part) => (part.document.shard === undefined ? [] : [{ part, shard: part.document.shard }]))
  const [first] = sharded
  if (first === undefined) return undefined
  const whole = given.find(({ document }) => document.shard === undefined)
  if (whole !== undefined) throw mismatch(`${first.part.file} is of a shard, and ${whole.file} is not.`)
  for (const other of sharded) mustBeOfOneRun(first, other, mismatch)
  const { of, all_hosts, run_id } = first.shard
  const byIndex = Map.groupBy(sharded, ({ shard }) => shard.index)
  const latest = [...byIndex.values()].map((same) => latestOf(same, timeOf, mismatch))
  const kept = latest.map(({ kept: one }) => one).toSorted((a, b) => a.shard.index - b.shard.index)
  const missing = Array.from({ length: of }, (_, at) => at + 1).filter((index) => !byIndex.has(index))
  const unknown_hosts = all_hosts - kept.reduce((sum, { shard }) => sum + shard.hosts, 0)
  if (unknown_hosts < 0) throw mismatch(`They have more hosts than the ${all_hosts} that were selected: a file was edited.`)
  const replaced = latest.flatMap((one) => one.replaced)
  return {
    parts: kept.map(({ part }) => part),
    shards: { of, all_hosts, ...defined({ run_id }), missing, unknown_hosts, replaced },
  }
}

interface Sharded<Part> {
  readonly part: Part
  readonly shard: Shard
}

function mustBeOfOneRun(one: Sharded<Given<unknown>>, other: Sharded<Given<unknown>>, mismatch: (why: string) => Error): void {
  const files = `${one.part.file} and ${other.part.file}`
  const [a, b] = [one.shard, other.shard]
  if (b.index > b.of) throw mismatch(`${other.part.file} is of shard ${b.index}/${b.of}, which there is not: it was edited.`)
  if (a.of !== b.of) throw mismatch(`${files} are of ${a.of} and of ${b.of} shards.`)
  if (a.run_id !== b.run_id) throw mismatch(`${files} are of two runs: ${a.run_id ?? 'no id'} and ${b.run_id ?? 'no id'}.`)
  if (a.selection !== b.selection)
    throw mismatch(`${files} are shards of different hosts: ${a.all_hosts} and ${b.all_hosts} were selected.`)
}

function latestOf<Document, Part extends Given<Document>>(
  same: readonly Sharded<Part>[],
  timeOf: (document: Document) => string,
  mismatch: (why: string) => Error,
): { readonly kept: Sharded<Part>; readonly replaced: readonly ReplacedShard[] } {
  const [kept, ...earlier] = same.toSorted((a, b) => momentMs(timeOf(b.part.document)) - momentMs(timeOf(a.part.document)))
  if (kept === undefined) throw new RangeError('there is no document')
  const [next] = earlier
  const { index, of, run_id } = kept.shard
  if (next !== undefined && (run_id === undefined || timeOf(next.part.document) === timeOf(kept.part.document)))
    throw mismatch(
      `${next.part.file} and ${kept.part.file} are both of shard ${index}/${of}${run_id === undefined ? ', and without --run-id they may be of two runs' : ' and of the same time'}.`,
    )
  return { kept, replaced: earlier.map(({ part }) => ({ index, at: timeOf(part.document) })) }
}
