import { readFileSync } from 'node:fs'
import { ConvergeError } from '../errors/converge-error.ts'
import { defaultInventory } from '../inventory/default-inventory.ts'
import { loadInventory } from '../inventory/load.ts'
import { renderIssues } from '../inventory/render-issues.ts'
import { limitHosts } from '../inventory/select.ts'
import { selectServices } from '../inventory/select-services.ts'
import type { Fleet, Host, Service } from '../model/fleet.ts'
import type { InventoryIssue } from '../model/issue.ts'
import type { Context } from './context.ts'
import { nobodyLeft, readLastRun, speaksOfLastRun } from './last-run.ts'

/** What `-i`, `-l` and `-s` say. */
export interface SelectionFlags {
  readonly inventory?: string | undefined
  readonly limit?: string | undefined
  /** In place of `limit`: exact names, in order; those that the inventory does not have are passed over. */
  readonly hosts?: readonly string[] | undefined
  readonly service?: readonly string[] | undefined
}

/** The fleet, and which part of it this run is about. */
export interface OpenFleet {
  readonly fleet: Fleet
  /** Selected hosts, in the order in which the pattern names them, as Ansible does. */
  readonly hosts: readonly Host[]
  /** Names of hosts, as `hosts`. */
  readonly names: readonly string[]
  /** Whether `-s` selects the service; always true without `-s`. */
  readonly selects: (service: Service) => boolean
  /** There is no `-s`. */
  readonly everyService: boolean
  /** Of the inventory's files. */
  readonly warnings: readonly InventoryIssue[]
}

/** Loads and checks the inventory, says its warnings on stderr, and applies the selection. Throws for what is not valid. */
export async function openFleet(context: Context, flags: SelectionFlags): Promise<OpenFleet> {
  const path = flags.inventory ?? (await defaultInventory(context.cwd, context.env))
  const { fleet, warnings } = await loadInventory(path)
  if (warnings.length > 0) context.err.write(`${await renderIssues(warnings)}\n\n`)
  const names = flags.hosts ?? (await selectedNames(context, fleet, flags.limit))
  const byName = new Map(fleet.hosts.map((host) => [host.name, host]))
  const hosts = names.map((name) => byName.get(name)).filter((host) => host !== undefined)
  const services = selectedServices(hosts, flags.service ?? [])
  return {
    fleet,
    hosts,
    names: hosts.map((host) => host.name),
    everyService: services === undefined,
    warnings,
    selects: (service) => services === undefined || services.has(service.name),
  }
}

async function selectedNames(context: Context, fleet: Fleet, limit: string | undefined): Promise<readonly string[]> {
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

function readLines(path: string): readonly string[] {
  return readFileSync(path, 'utf8').split('\n')
}
