import type { AskedShard } from '../inventory/asked-shard.ts'
import { shardOfHost } from '../inventory/shard-of-host.ts'
import { digestOf } from '../lib/digest.ts'
import type { Host } from '../model/fleet.ts'
import type { Shard } from '../model/shard.ts'

/** The shard of a run, with the hosts of all shards. */
export interface OpenShard {
  readonly shard: Shard
  /** The hosts that all shards together take, in the order of the selection; of a shard from a file: its own. */
  readonly all: readonly Host[]
  /** It is that of a saved plan, or of an earlier run. */
  readonly isGiven?: true
}

/** The hosts of a shard, in the order of the selection. */
export function hostsInShard<One extends Pick<Host, 'name'>>(
  all: readonly One[],
  { index, of }: Pick<Shard, 'index' | 'of'>,
): readonly One[] {
  return all.filter(({ name }) => shardOfHost(name, of) === index)
}

export function openShard(asked: AskedShard, all: readonly Host[]): OpenShard {
  const names = all.map(({ name }) => name)
  const hosts = hostsInShard(all, asked).length
  return { shard: { ...asked, hosts, all_hosts: all.length, selection: digestOf(names.toSorted()) }, all }
}

/** The same shard of fewer hosts. */
export function narrowShard(open: OpenShard, keeps: (host: Host) => boolean): OpenShard {
  return open.isGiven === true ? open : openShard(open.shard, open.all.filter(keeps))
}
