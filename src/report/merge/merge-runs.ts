import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import type { DriftDocument } from '../../model/drift.ts'
import type { Plan } from '../../model/plan.ts'
import type { RunReport } from '../../model/report.ts'
import { mergeDrifts } from './merge-drifts.ts'
import { mergePlans } from './merge-plans.ts'
import { mergeReports, type Worst } from './merge-reports.ts'

export type Document = Plan | RunReport | DriftDocument

/** What one of several runs printed, each of which was about other hosts of the same inventory. */
export interface Shard {
  /** Where it was read, for people. */
  readonly file: string
  readonly document: Document
}

/** The inventory that they are to be about. */
export interface Whole {
  readonly path: string
  readonly digest: string
  /** Names of all of its hosts. */
  readonly hosts: readonly string[]
}

/**
 * One document of all, as if one run had been about all of their hosts.
 *
 * @param worst which exit code is told when several hold
 * @param whole hosts that it has and no part is about become hosts that could not be looked at
 * @throws ConvergeError `REPORT.NO_SHARDS` where they cannot be parts of one run
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
  const told = [...kinds].map(([kind, [one]]) => `${one?.file ?? ''} is of ${kind}`)
  if (kinds.size > 1) throw noShards(`${told.join(', ')}.`)
  if (shards.some(({ document }) => document.schema === 'converge/report/v1' && document.verb === 'resume'))
    throw noShards('What `resume` went on with is one run, and its report is about all of its hosts already.')
}

/** What may stand beside each other. */
function kindOf(document: Document): string {
  if (document.schema === 'converge/report/v1') return document.verb
  const verb = document.schema === 'converge/plan/v1' ? 'plan' : 'drift'
  return document.facts_from === undefined ? verb : `${verb} from a facts snapshot`
}

/** Names of hosts that the inventory has and no part is about. */
export function unseenIn(shards: readonly Shard[], whole: Whole | undefined): readonly string[] {
  const seen = new Set(shards.flatMap(({ document }) => hostsOf(document)))
  return whole?.hosts.filter((host) => !seen.has(host)) ?? []
}

/** Of a run also those that it planned and did not come to. */
function hostsOf(document: Document): readonly string[] {
  const planned = document.schema === 'converge/report/v1' ? (document.plan?.hosts ?? []) : []
  return [...new Set([...planned, ...document.hosts].map(({ host }) => host))]
}

function mustBeOfOneInventory(shards: readonly Shard[], whole: Whole | undefined): void {
  const digests = Map.groupBy(shards, ({ document }) => inventoryOf(document) ?? '')
  digests.delete('')
  const [one, other] = [...digests.values()].map(([first]) => first?.file ?? '')
  if (one !== undefined && other !== undefined)
    throw noShards(`The inventory was another one when ${one} was made than when ${other} was.`)
  if (one !== undefined && whole !== undefined && !digests.has(whole.digest))
    throw noShards(`${whole.path} is another inventory than the one that ${one} is about, or it was changed since.`)
}

/** A digest; undefined: the document does not tell, because an older version wrote it. */
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
    summary: 'These reports do not belong together.',
    why: `${why} What is put together is what the same verb said of other hosts of the same inventory.`,
    next: [
      converge(['plan', '--limit', 'nas', '--format', 'json=nas.json'], { say: 'Run each part with hosts of its own:' }),
      converge(['report', 'merge', 'nas.json', 'box.json', '--format', 'html=fleet.html'], { say: 'Then put them together:' }),
    ],
  })
}
