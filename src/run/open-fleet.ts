import { readFileSync, statSync } from 'node:fs'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { type AskedShard, askedShard } from '../inventory/asked-shard.ts'
import type { ReadLines } from '../inventory/host-limit.ts'
import { limitHosts } from '../inventory/select.ts'
import { selectServices } from '../inventory/select-services.ts'
import { defined } from '../lib/defined.ts'
import { converge } from '../lib/next-command.ts'
import { defaultInventory } from '../load/default-inventory.ts'
import { loadInventory } from '../load/load.ts'
import { leadsAstray } from '../load/real-folder.ts'
import { renderIssues } from '../load/render-issues.ts'
import type { Fleet, Host, Service } from '../model/fleet.ts'
import type { InventoryIssue } from '../model/issue.ts'
import type { Shard } from '../model/shard.ts'
import { namesLastRun, noHostLeft, readLastRun } from '../state/last-run.ts'
import { hostsInShard, narrowShard, type OpenShard, openShard } from './open-shard.ts'

/** Which inventory, and which part of it. */
export interface SelectionFlags {
  readonly inventory?: string | undefined
  readonly limit?: string | undefined
  /** `I/N`, `auto`, `none`, or `fromEnvironment`; absent: the verb has no shards. */
  readonly shard?: string | undefined
  /** The id that the shards of one run share. */
  readonly runId?: string | undefined
  /** Of a saved plan, or of the run to resume: `hosts` are in this shard. */
  readonly inShard?: Shard | undefined
  /** Instead of `limit`: exact names, in order; unknown names are skipped. */
  readonly hosts?: readonly string[] | undefined
  readonly service?: readonly string[] | undefined
  /** False: the inventory may be untrusted (`--no-secret-commands`). */
  readonly secretCommands?: boolean | undefined
}

/** The fleet and the selected part of it. */
export interface OpenFleet {
  readonly fleet: Fleet
  /** Selected hosts, in the order of the pattern, as in Ansible; those of the shard, if there is one. */
  readonly hosts: readonly Host[]
  /** Absent: all selected hosts. */
  readonly shard?: OpenShard
  /** Whether `-s` selects the service; always true without `-s`. */
  readonly selects: (service: Service) => boolean
  /** True without `-s`. */
  readonly everyService: boolean
  /** Warnings about the inventory's files. */
  readonly warnings: readonly InventoryIssue[]
  /** The inventory may be untrusted: nothing that it names is run, and no file outside of it is read. */
  readonly isClosed?: boolean
}

/** Loads and checks the inventory, prints its warnings on stderr, and applies the selection. Throws if it is invalid. */
export async function openFleet(context: Context, flags: SelectionFlags): Promise<OpenFleet> {
  const isClosed = flags.secretCommands === false
  const path = flags.inventory ?? (await defaultInventory(context, { isClosed }))
  const { fleet, warnings } = await loadInventory(path, { isClosed })
  if (warnings.length > 0) context.err.writeProse(`${await renderIssues(warnings, context.err)}\n\n`)
  const asked = askedShard(flags.shard, flags.runId, context.env)
  const limit = { limit: flags.limit, readLines: linesOf(isClosed), asked }
  const names = flags.hosts ?? (await selectedNames(context, fleet, limit))
  const byName = new Map(fleet.hosts.map((host) => [host.name, host]))
  const selected = names.map((name) => byName.get(name)).filter((host) => host !== undefined)
  const shard = shardIn(flags, asked, selected)
  // A glob may match in another shard only.
  const services = selectedServices(selected, flags.service ?? [])
  return {
    fleet,
    hosts: shard === undefined ? selected : hostsInShard(selected, shard.shard),
    ...defined({ shard }),
    everyService: services === undefined,
    warnings,
    ...(isClosed ? { isClosed } : {}),
    selects: (service) => services === undefined || services.has(service.name),
  }
}

/** A shard of a saved plan or of an earlier run is what it was then. */
function shardIn({ inShard }: SelectionFlags, asked: AskedShard | undefined, selected: readonly Host[]): OpenShard | undefined {
  if (inShard !== undefined) return { shard: inShard, all: selected, isGiven: true }
  return asked === undefined ? undefined : openShard(asked, selected)
}

/**
 * Removes hosts that converge does not connect to, and lists them on stderr.
 *
 * @throws ConvergeError `USAGE.NO_HOSTS` if no other host is selected
 */
export function withinReach(context: Context, open: OpenFleet): OpenFleet {
  const all = open.shard?.all ?? open.hosts
  const apart = all.filter(isApart)
  if (apart.length === 0) return open
  const hosts = open.hosts.filter((host) => !isApart(host))
  const shard = open.shard && narrowShard(open.shard, (host) => !isApart(host))
  const because = [...new Set(apart.map((host) => host.apart ?? ''))].join(', ')
  const skipped = apart.length === 1 ? apart[0]?.name : `${apart.length} hosts`
  if (apart.length === all.length) {
    throw new ConvergeError('USAGE.NO_HOSTS', {
      summary: 'converge does not connect to any of the selected hosts.',
      why: `The inventory has no services for ${skipped}, and converge does not connect there, because ${because}.`,
      next: [converge(['hosts'], { note: 'lists the hosts' }), 'Select others with --limit.'],
    })
  }
  if (hosts.length < open.hosts.length)
    context.err.writeProse(`Skipped ${skipped}: no services, and converge does not connect there, because ${because}.\n`)
  return { ...open, hosts, ...defined({ shard }) }
}

function isApart({ apart }: Host): boolean {
  return apart !== undefined
}

interface Limit {
  readonly limit: string | undefined
  readonly readLines: ReadLines
  readonly asked: AskedShard | undefined
}

async function selectedNames(context: Context, fleet: Fleet, { limit, readLines, asked }: Limit): Promise<readonly string[]> {
  if (limit === undefined) return fleet.hosts.map((host) => host.name)
  if (!namesLastRun(limit)) return limitHosts(fleet, limit, readLines)
  if (asked !== undefined && asked.run_id === undefined) throw lastRunOfWhom(limit)
  const last = await readLastRun(context, fleet, asked?.run_id)
  try {
    const { failed, unreached } = last.hosts
    return limitHosts(fleet, limit, (path) => (path === 'failed' ? failed : path === 'unreached' ? unreached : readLines(path)))
  } catch (error) {
    throw error instanceof ConvergeError && error.code === 'USAGE.PATTERN_EMPTY' ? noHostLeft(limit, last) : error
  }
}

function lastRunOfWhom(limit: string): ConvergeError {
  return new ConvergeError('USAGE.SHARD', {
    summary: 'In shards, the last run needs a --run-id. Nothing was done.',
    why: `\`--limit ${limit}\` takes hosts from the last run, and another shard of this run may be the last one by now.`,
    next: ['Give all shards of this run the same new id, for example  --run-id "retry-$(date +%F)"'],
  })
}

function selectedServices(hosts: readonly Host[], globs: readonly string[]): ReadonlySet<string> | undefined {
  if (globs.length === 0) return undefined
  const names = [...new Set(hosts.flatMap((host) => host.services.map((service) => service.name)))]
  return new Set(selectServices(names, globs))
}

/** Larger than any list of hosts. */
const maxBytes = 16 * 1024 ** 2

function linesOf(isClosed: boolean): ReadLines {
  return (path) => {
    if (isClosed && leadsAstray(path)) throw new Error('a link leads out of its folder')
    const found = statSync(path)
    if (!found.isFile() && !found.isDirectory()) throw new Error('it is not a regular file')
    if (found.size > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024 ** 2} MiB`)
    return readFileSync(path, 'utf8').split('\n')
  }
}
