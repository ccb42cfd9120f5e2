import { readFileSync, statSync } from 'node:fs'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import type { ReadLines } from '../inventory/host-limit.ts'
import { limitHosts } from '../inventory/select.ts'
import { selectServices } from '../inventory/select-services.ts'
import { converge } from '../lib/next-command.ts'
import { defaultInventory } from '../load/default-inventory.ts'
import { loadInventory } from '../load/load.ts'
import { leadsAstray } from '../load/real-folder.ts'
import { renderIssues } from '../load/render-issues.ts'
import type { Fleet, Host, Service } from '../model/fleet.ts'
import type { InventoryIssue } from '../model/issue.ts'
import { nobodyLeft, readLastRun, speaksOfLastRun } from '../state/last-run.ts'

/** What `-i`, `-l` and `-s` say. */
export interface SelectionFlags {
  readonly inventory?: string | undefined
  readonly limit?: string | undefined
  /** In place of `limit`: exact names, in order; those that the inventory does not have are passed over. */
  readonly hosts?: readonly string[] | undefined
  readonly service?: readonly string[] | undefined
  /** False: the inventory may be a stranger's, `--no-secret-commands`. */
  readonly secretCommands?: boolean | undefined
}

/** The fleet, and which part of it this run is about. */
export interface OpenFleet {
  readonly fleet: Fleet
  /** Selected hosts, in the order in which the pattern names them, as Ansible does. */
  readonly hosts: readonly Host[]
  /** Whether `-s` selects the service; always true without `-s`. */
  readonly selects: (service: Service) => boolean
  /** There is no `-s`. */
  readonly everyService: boolean
  /** Of the inventory's files. */
  readonly warnings: readonly InventoryIssue[]
  /** It may be a stranger's: nothing that it names is run, and no file outside of it is read. */
  readonly isClosed?: boolean
}

/** Loads and checks the inventory, says its warnings on stderr, and applies the selection. Throws for what is not valid. */
export async function openFleet(context: Context, flags: SelectionFlags): Promise<OpenFleet> {
  const isClosed = flags.secretCommands === false
  const path = flags.inventory ?? (await defaultInventory(context, { isClosed }))
  const { fleet, warnings } = await loadInventory(path, { isClosed })
  if (warnings.length > 0) context.err.writeProse(`${await renderIssues(warnings, context.err)}\n\n`)
  const names = flags.hosts ?? (await selectedNames(context, fleet, { limit: flags.limit, readLines: linesOf(isClosed) }))
  const byName = new Map(fleet.hosts.map((host) => [host.name, host]))
  const hosts = names.map((name) => byName.get(name)).filter((host) => host !== undefined)
  const services = selectedServices(hosts, flags.service ?? [])
  return {
    fleet,
    hosts,
    everyService: services === undefined,
    warnings,
    ...(isClosed ? { isClosed } : {}),
    selects: (service) => services === undefined || services.has(service.name),
  }
}

/**
 * The same without hosts that nobody connects to, for whoever connects; which ones is said on stderr, once.
 *
 * @throws ConvergeError `USAGE.NO_HOSTS` where no other host is selected
 */
export function withinReach(context: Context, open: OpenFleet): OpenFleet {
  const apart = open.hosts.filter((host) => host.apart !== undefined)
  if (apart.length === 0) return open
  const hosts = open.hosts.filter((host) => host.apart === undefined)
  const because = [...new Set(apart.map((host) => host.apart ?? ''))].join(', ')
  const whom = apart.length === 1 ? apart[0]?.name : `${apart.length} hosts`
  if (hosts.length === 0) {
    throw new ConvergeError('USAGE.NO_HOSTS', {
      summary: 'None of the selected hosts is reached over SSH.',
      why: `The inventory has no services for ${whom}, and converge does not connect there, because ${because}.`,
      next: [converge(['hosts'], { note: 'lists the hosts' }), 'Select others with --limit.'],
    })
  }
  context.err.writeProse(`${whom} passed over: no services, and not connected to, because ${because}.\n`)
  return { ...open, hosts }
}

interface Limit {
  readonly limit: string | undefined
  readonly readLines: ReadLines
}

async function selectedNames(context: Context, fleet: Fleet, { limit, readLines }: Limit): Promise<readonly string[]> {
  if (limit === undefined) return fleet.hosts.map((host) => host.name)
  if (!speaksOfLastRun(limit)) return limitHosts(fleet, limit, readLines)
  const last = await readLastRun(context, fleet)
  try {
    const { failed, unreached } = last.hosts
    return limitHosts(fleet, limit, (path) => (path === 'failed' ? failed : path === 'unreached' ? unreached : readLines(path)))
  } catch (error) {
    throw error instanceof ConvergeError && error.code === 'USAGE.PATTERN_EMPTY' ? nobodyLeft(limit, last) : error
  }
}

function selectedServices(hosts: readonly Host[], globs: readonly string[]): ReadonlySet<string> | undefined {
  if (globs.length === 0) return undefined
  const names = [...new Set(hosts.flatMap((host) => host.services.map((service) => service.name)))]
  return new Set(selectServices(names, globs))
}

/** No list of hosts is larger. */
const mostBytes = 16 * 1024 ** 2

function linesOf(isClosed: boolean): ReadLines {
  return (path) => {
    if (isClosed && leadsAstray(path)) throw new Error('a link leads away from where it seems to lie')
    const found = statSync(path)
    if (!found.isFile() && !found.isDirectory()) throw new Error('it is no regular file')
    if (found.size > mostBytes) throw new Error(`it is larger than ${mostBytes / 1024 ** 2} MiB`)
    return readFileSync(path, 'utf8').split('\n')
  }
}
