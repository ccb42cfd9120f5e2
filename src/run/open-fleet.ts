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
import { namesLastRun, noHostLeft, readLastRun } from '../state/last-run.ts'

/** The options `-i`, `-l` and `-s`. */
export interface SelectionFlags {
  readonly inventory?: string | undefined
  readonly limit?: string | undefined
  /** Instead of `limit`: exact names, in order; unknown names are skipped. */
  readonly hosts?: readonly string[] | undefined
  readonly service?: readonly string[] | undefined
  /** False: the inventory may be untrusted (`--no-secret-commands`). */
  readonly secretCommands?: boolean | undefined
}

/** The fleet and the selected part of it. */
export interface OpenFleet {
  readonly fleet: Fleet
  /** Selected hosts, in the order of the pattern, as in Ansible. */
  readonly hosts: readonly Host[]
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
 * Removes hosts that converge does not connect to, and lists them on stderr.
 *
 * @throws ConvergeError `USAGE.NO_HOSTS` if no other host is selected
 */
export function withinReach(context: Context, open: OpenFleet): OpenFleet {
  const apart = open.hosts.filter((host) => host.apart !== undefined)
  if (apart.length === 0) return open
  const hosts = open.hosts.filter((host) => host.apart === undefined)
  const because = [...new Set(apart.map((host) => host.apart ?? ''))].join(', ')
  const skipped = apart.length === 1 ? apart[0]?.name : `${apart.length} hosts`
  if (hosts.length === 0) {
    throw new ConvergeError('USAGE.NO_HOSTS', {
      summary: 'converge does not connect to any of the selected hosts.',
      why: `The inventory has no services for ${skipped}, and converge does not connect there, because ${because}.`,
      next: [converge(['hosts'], { note: 'lists the hosts' }), 'Select others with --limit.'],
    })
  }
  context.err.writeProse(`Skipped ${skipped}: no services, and converge does not connect there, because ${because}.\n`)
  return { ...open, hosts }
}

interface Limit {
  readonly limit: string | undefined
  readonly readLines: ReadLines
}

async function selectedNames(context: Context, fleet: Fleet, { limit, readLines }: Limit): Promise<readonly string[]> {
  if (limit === undefined) return fleet.hosts.map((host) => host.name)
  if (!namesLastRun(limit)) return limitHosts(fleet, limit, readLines)
  const last = await readLastRun(context, fleet)
  try {
    const { failed, unreached } = last.hosts
    return limitHosts(fleet, limit, (path) => (path === 'failed' ? failed : path === 'unreached' ? unreached : readLines(path)))
  } catch (error) {
    throw error instanceof ConvergeError && error.code === 'USAGE.PATTERN_EMPTY' ? noHostLeft(limit, last) : error
  }
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
