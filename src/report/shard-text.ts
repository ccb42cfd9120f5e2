import type { MergedShards, Shard } from '../model/shard.ts'

/** `shard 3/8: 131 of 1,048 hosts`. */
export function shardWords({ index, of, hosts, all_hosts: all }: Shard): string {
  const some = hosts === 0 ? 'none' : counted(hosts)
  return `shard ${index}/${of}: ${some} of ${counted(all)} ${all === 1 ? 'host' : 'hosts'}`
}

/** The same as a sentence, with the source of the number and the id of the whole run. */
export function shardSentence(shard: Shard): string {
  const { from, run_id } = shard
  const words = shardWords(shard)
  return `S${words.slice(1)} (${[from, ...(run_id === undefined ? [] : [`run ${run_id}`])].join(', ')}).`
}

/** What a merged document was made of; several lines if shards are missing or were run again. */
export function mergedShardsText({
  of,
  all_hosts: all,
  run_id,
  missing,
  unknown_hosts: unknown,
  replaced,
}: MergedShards): string {
  const run = run_id === undefined ? '' : ` of run ${run_id}`
  const whole = `Merged from ${of - missing.length} of ${of} shards${run}: ${counted(all - unknown)} of ${counted(all)} hosts.`
  return [
    whole,
    ...(missing.length === 0 ? [] : [`${missingWords(missing, of, unknown)}.`]),
    ...replaced.map(({ index, at }) => `Shard ${index}/${of} was run again; its document of ${at} was left out.`),
  ].join('\n')
}

/** `Shard 5/8 is missing: 127 hosts unknown`. */
export function missingWords(missing: readonly number[], of: number, unknown: number): string {
  const named = missing.slice(0, mostNamed).map((index) => `${index}/${of}`)
  const rest = missing.length - named.length
  const list = [...named, ...(rest > 0 ? [`${rest} more`] : [])]
  const names = list.length === 1 ? (list[0] ?? '') : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`
  const subject = missing.length === 1 ? `Shard ${names} is` : `Shards ${names} are`
  return `${subject} missing: ${counted(unknown)} ${unknown === 1 ? 'host' : 'hosts'} unknown`
}

const mostNamed = 20

/** `1,048`. */
function counted(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
