import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import type { DriftDocument } from '../../model/drift.ts'
import type { Plan } from '../../model/plan.ts'
import type { RunReport } from '../../model/report.ts'
import { mergeDrifts } from './merge-drifts.ts'
import { mergePlans } from './merge-plans.ts'
import { mergeReports, type Worst } from './merge-reports.ts'

export type Document = Plan | RunReport | DriftDocument

/** The document of one run; each shard covers other hosts of the same inventory. */
export interface Shard {
  /** Where it was read, for people. */
  readonly file: string
  readonly document: Document
}

/** The inventory that the shards cover. */
export interface Whole {
  readonly path: string
  readonly digest: string
  /** Names of all of its hosts. */
  readonly hosts: readonly string[]
}

/**
 * One document of all, as if one run had covered all hosts.
 *
 * @param worst selects one exit code of several
 * @param whole its hosts that no part covers become unreachable hosts
 * @throws ConvergeError `REPORT.NO_SHARDS` if they cannot be parts of one run
 */
export function mergeRuns(shards: readonly Shard[], worst: Worst, whole?: Whole): Document {
  mustBeOfOneKind(shards)
  mustBeOfOneInventory(shards, whole)
  mustShareNoHost(shards)
  const unseen = unseenIn(shards, whole)
  const plans = shards.flatMap(({ document }) => (document.schema === 'converge/plan/v1' ? [document] : []))
  const drifts = shards.flatMap(({ document }) => (document.schema === 'converge/drift/v1' ? [document] : []))
  const reports = shards.flatMap(({ document }) => (document.schema === 'converge/report/v1' ? [document] : []))
  if (plans.length > 0) return mergePlans(plans, unseen)
  return drifts.length > 0 ? mergeDrifts(drifts, unseen) : mergeReports(reports, unseen, worst)
}

function mustBeOfOneKind(shards: readonly Shard[]): void {
  const kinds = Map.groupBy(shards, ({ document }) => kindOf(document))
  const words = [...kinds].map(([kind, [one]]) => `${one?.file ?? ''} is of ${kind}`)
  if (kinds.size > 1) throw noShards(`${words.join(', ')}.`)
  if (shards.some(({ document }) => document.schema === 'converge/report/v1' && document.verb === 'resume'))
    throw noShards('The report of a `resume` covers all hosts of its run already.')
}

/** Documents of the same kind can be merged. */
function kindOf(document: Document): string {
  if (document.schema === 'converge/report/v1') return document.verb
  const verb = document.schema === 'converge/plan/v1' ? 'plan' : 'drift'
  return document.facts_from === undefined ? verb : `${verb} from a facts snapshot`
}

/** Names of the inventory's hosts that no part covers. */
export function unseenIn(shards: readonly Shard[], whole: Whole | undefined): readonly string[] {
  const seen = new Set(shards.flatMap(({ document }) => hostsOf(document)))
  return whole?.hosts.filter((host) => !seen.has(host)) ?? []
}

/** Also hosts that a run planned and did not reach. */
function hostsOf(document: Document): readonly string[] {
  const planned = document.schema === 'converge/report/v1' ? (document.plan?.hosts ?? []) : []
  return [...new Set([...planned, ...document.hosts].map(({ host }) => host))]
}

function mustBeOfOneInventory(shards: readonly Shard[], whole: Whole | undefined): void {
  const digests = Map.groupBy(shards, ({ document }) => inventoryOf(document) ?? '')
  digests.delete('')
  const [one, other] = [...digests.values()].map(([first]) => first?.file ?? '')
  if (one !== undefined && other !== undefined) throw noShards(`${one} and ${other} are of different inventories.`)
  if (one !== undefined && whole !== undefined && !digests.has(whole.digest))
    throw noShards(`${one} is not of ${whole.path}, or that inventory changed since.`)
}

/** A digest; undefined: an older version wrote the document without it. */
function inventoryOf(document: Document): string | undefined {
  if (document.schema !== 'converge/report/v1') return document.inventory.digest
  return (document.plan?.inventory ?? document.inventory)?.digest
}

function mustShareNoHost(shards: readonly Shard[]): void {
  const seen = new Map<string, string>()
  for (const { file, document } of shards)
    for (const host of hostsOf(document)) {
      const before = seen.get(host)
      if (before !== undefined) throw noShards(`${host} is in ${before} and in ${file}.`)
      seen.set(host, file)
    }
}

function noShards(why: string): ConvergeError {
  return new ConvergeError('REPORT.NO_SHARDS', {
    summary: 'These reports cannot be merged.',
    why: `${why} Reports merge if they are of the same verb and the same inventory, and share no host.`,
    next: [
      converge(['plan', '--limit', 'nas', '--format', 'json=nas.json'], { say: 'Run each part for its own hosts:' }),
      converge(['report', 'merge', 'nas.json', 'box.json', '--format', 'html=fleet.html'], { say: 'Then merge them:' }),
    ],
  })
}
