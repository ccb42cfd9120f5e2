/**
 * Asks many hosts at once that all print much and do not end at once, as a process of its own, for memory that was taken once is seldom given back. Prints how many
 * bytes each sent, and by how many the process grew at most. Its argument: a host, its ssh config, how many of it there are, and how much each prints on either stream.
 */
import type { Host } from '../../src/model/fleet.ts'
import { openTransport } from '../../src/transports/open-transport.ts'
import type { CommandResult } from '../../src/transports/transport.ts'
import { script, transportOptions } from './transport-options.ts'

export interface LoudHosts {
  readonly host: Host
  readonly sshConfig: string
  readonly count: number
  readonly bytes: number
}

export interface Heard {
  readonly lengths: readonly number[]
  readonly grown: number
}

function lengthOf({ stdout, stderr }: CommandResult): number {
  return stdout.length + stderr.length
}

const { host, sshConfig, count, bytes }: LoudHosts = JSON.parse(process.argv[2] ?? '')
const options = transportOptions({ sshConfig, connectTimeoutMs: 60_000 })
const transports = await Promise.all(Array.from({ length: count }, () => openTransport(host, options)))
const before = process.memoryUsage().rss
let most = before
const watch = setInterval(() => {
  most = Math.max(most, process.memoryUsage().rss)
}, 10)
const loud = script(`much() { head -c ${bytes} /dev/zero | tr '\\0' x; }; much; much >&2; sleep 3`, { timeoutMs: 120_000 })
const lengths = await Promise.all(transports.map(async (transport) => lengthOf(await transport.exec(loud))))
clearInterval(watch)
await Promise.all(transports.map((transport) => transport.close()))
const heard: Heard = { lengths, grown: most - before }
process.stdout.write(JSON.stringify(heard))
