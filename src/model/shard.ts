/** A part of the selected hosts, taken by one of several processes. */
export interface Shard {
  /** From 1 on. */
  readonly index: number
  readonly of: number
  /** The option or the variables that asked for it. */
  readonly from: string
  /** Number of its hosts. */
  readonly hosts: number
  /** Number of hosts in all shards together. */
  readonly all_hosts: number
  /** SHA-256 over the names of these hosts: the same in every shard of a run. */
  readonly selection: string
  /** The id that all shards of one run share (`--run-id`); absent: none was given. */
  readonly run_id?: string
}

/** In a merged document: the shards that it was merged from. */
export interface MergedShards extends Pick<Shard, 'of' | 'all_hosts' | 'run_id'> {
  /** Indexes of shards without a document. */
  readonly missing: readonly number[]
  /** Number of hosts in missing shards. */
  readonly unknown_hosts: number
  /** Documents that a rerun of the same shard replaced. */
  readonly replaced: readonly ReplacedShard[]
}

export interface ReplacedShard {
  readonly index: number
  /** ISO 8601: the time of the document that was left out. */
  readonly at: string
}
