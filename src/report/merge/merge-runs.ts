import { ConvergeError } from '../../errors/converge-error.ts'
import { defined } from '../../lib/defined.ts'
import { converge } from '../../lib/next-command.ts'
import type { DriftDocument } from '../../model/drift.ts'
import type { Plan } from '../../model/plan.ts'
import type { RunReport } from '../../model/report.ts'
import { asTheyAre, inOrderOf } from './in-order.ts'
import { joinShards } from './join-shards.ts'
import { mergeDrifts } from './merge-drifts.ts'
import { mergePlans } from './merge-plans.ts'
import { mergeReports, type Worst } from './merge-reports.ts'
import { unseenHosts } from './unseen.ts'

export type Document = Plan | RunReport | DriftDocument

/** The report of one of several runs, each of different hosts of the same inventory. */
export interface Shard {
  /** Its file, for messages. */
  readonly file: string
  readonly document: Document
}

/** The inventory that the reports must belong to. */
export interface WholeFleet {
  readonly path: string
  readonly digest: string
  /** Names of all of its hosts. */
  readonly hosts: readonly string[]
}

/**
 * Merges reports into one document, as if one run had covered all hosts.
 *
 * @param worst chooses the exit code from several
 * @param whole hosts that it has and no report covers become unreachable hosts
 * @throws ConvergeError `REPORT.NO_SHARDS` if the reports do not belong together
 */
export function mergeRuns(given: readonly Shard[], worst: Worst, whole?: WholeFleet): Document {
  mustBeOfOneKind(given)
  mustBeOfOneInventory(given, whole)
  const joined = joinShards(given, timeOf, notOneRun)
  const shards = joined?.parts ?? given
  mustShareNoHost(shards)
  const unseen = unseenHosts(seenIn(shards), whole?.hosts, joined?.shards)
  const inOrder = joined === undefined || whole === undefined ? asTheyAre : inOrderOf(whole.hosts)
  const plans = shards.flatMap(({ document }) => (document.schema === 'converge/plan/v1' ? [document] : []))
  const drifts = shards.flatMap(({ document }) => (document.schema === 'converge/drift/v1' ? [document] : []))
  const reports = shards.flatMap(({ document }) => (document.schema === 'converge/report/v1' ? [document] : []))
  if (plans.length > 0) return mergePlans(plans, unseen, inOrder, joined?.shards)
  const merged = drifts.length > 0 ? mergeDrifts(drifts, unseen, inOrder) : mergeReports(reports, unseen, worst, inOrder)
  return { ...merged, ...defined({ shards: joined?.shards }) }
}

/** When the document was made; of a run, when it began. */
function timeOf(document: Document): string {
  return document.schema === 'converge/report/v1' ? document.started_at : document.created_at
}

function mustBeOfOneKind(shards: readonly Shard[]): void {
  const kinds = Map.groupBy(shards, ({ document }) => kindOf(document))
  const listed = [...kinds].map(([kind, [one]]) => `${one?.file ?? ''} is of ${kind}`)
  if (kinds.size > 1) throw noShards(`${listed.join(', ')}.`)
  if (shards.some(({ document }) => document.schema === 'converge/report/v1' && document.verb === 'resume'))
    throw noShards('A `resume` finishes one run, and its report already covers all hosts of that run.')
}

/** Only documents of the same kind can be merged. */
function kindOf(document: Document): string {
  if (document.schema === 'converge/report/v1') return document.verb
  const verb = document.schema === 'converge/plan/v1' ? 'plan' : 'drift'
  return document.facts_from === undefined ? verb : `${verb} from a facts snapshot`
}

/** Whether hosts of the inventory, or of the run that was made in shards, are in none of the reports. */
export function leavesHostsOut(given: readonly Shard[], whole: WholeFleet | undefined): boolean {
  const joined = joinShards(given, timeOf, notOneRun)
  const seen = seenIn(joined?.parts ?? given)
  return (joined?.shards.unknown_hosts ?? 0) > 0 || whole?.hosts.some((host) => !seen.has(host)) === true
}

function seenIn(shards: readonly Shard[]): ReadonlySet<string> {
  return new Set(shards.flatMap(({ document }) => hostsOf(document)))
}

/** For a run, including planned hosts that it did not reach. */
function hostsOf(document: Document): readonly string[] {
  const planned = document.schema === 'converge/report/v1' ? (document.plan?.hosts ?? []) : []
  return [...new Set([...planned, ...document.hosts].map(({ host }) => host))]
}

function mustBeOfOneInventory(shards: readonly Shard[], whole: WholeFleet | undefined): void {
  const digests = Map.groupBy(shards, ({ document }) => inventoryOf(document) ?? '')
  digests.delete('')
  const [one, other] = [...digests.values()].map(([first]) => first?.file ?? '')
  if (one !== undefined && other !== undefined)
    throw noShards(`${one} and ${other} were made from different versions of the inventory.`)
  if (one !== undefined && whole !== undefined && !digests.has(whole.digest))
    throw noShards(`${one} belongs to another inventory than ${whole.path}, or the inventory has changed since.`)
}

/** A digest; undefined in documents of older versions. */
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

function notOneRun(why: string): ConvergeError {
  return new ConvergeError('REPORT.NO_SHARDS', {
    summary: 'These documents are not the shards of one run.',
    why,
    next: [
      'Merge only documents of one run: with the same `--limit`, the same number of shards and the same `--run-id`.',
      converge(['plan', '--shard', '3/8', '--run-id', 'monday', '--format', 'json=parts/3.json'], {
        say: 'For example, one of eight:',
      }),
    ],
  })
}

function noShards(why: string): ConvergeError {
  return new ConvergeError('REPORT.NO_SHARDS', {
    summary: 'These reports do not belong together.',
    why: `${why} Only reports of the same verb, of different hosts of the same inventory, can be merged.`,
    next: [
      converge(['plan', '--limit', 'nas', '--format', 'json=nas.json'], { say: 'Run each part with its own hosts:' }),
      converge(['report', 'merge', 'nas.json', 'box.json', '--format', 'html=fleet.html'], { say: 'Then merge the reports:' }),
    ],
  })
}
