import { sha256 } from '../lib/digest.ts'

/**
 * The shard of a host, from 1 to `of`: the first eight bytes of the SHA-256 of its name in the inventory (UTF-8) as an unsigned
 * big-endian number, modulo `of`, plus 1. It depends on nothing else. Shards of several processes, machines and versions must agree, so
 * this never changes; `test/fixtures/shards/hosts.yaml` has vectors.
 */
export function shardOfHost(name: string, of: number): number {
  return Number(BigInt(`0x${sha256(name).slice(0, 16)}`) % BigInt(of)) + 1
}
