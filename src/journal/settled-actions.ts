import type { Action } from '../model/action.ts'
import type { JournalEntry } from '../model/journal.ts'
import { mustWork } from '../model/must-work.ts'
import type { ActionResult, HostReport, SmokeResult } from '../model/report.ts'

/**
 * The settled actions of a host: done or not needed, and proved if an action of the same service starts or adopts its server. A host that ended
 * without any proof did not need one.
 *
 * @param actions of the run's plan for the host
 * @param own journal entries of the host, in order
 * @returns ids of the settled actions
 */
export function settledActions(actions: readonly Action[], own: readonly JournalEntry[]): readonly string[] {
  const summary = summaryOf(own)
  const done = ({ id }: Action) => ['applied', 'not-needed'].includes(summary.results.get(id) ?? '')
  const isProved = (service: string) => {
    const others = actions.filter((one) => one.service === service && one.kind !== 'noop')
    if (!others.some(mustWork)) return true
    return summary.proofs.get(service) ?? others.every((one) => done(one) && summary.ended.has(one.id))
  }
  return actions.filter((action) => done(action) && isProved(action.service)).map(({ id }) => id)
}

interface JournalSummary {
  readonly results: ReadonlyMap<string, ActionResult['status']>
  /** By service: the result of the last proof after its last action. */
  readonly proofs: ReadonlyMap<string, boolean>
  /** Actions on hosts that the run finished. */
  readonly ended: ReadonlySet<string>
}

function summaryOf(own: readonly JournalEntry[]): JournalSummary {
  const results = new Map<string, ActionResult['status']>()
  const proofs = new Map<string, boolean>()
  const ended = new Set<string>()
  const begun = new Set<string>()
  const addResult = ({ action, status }: ActionResult) => results.set(action, status)
  const addProof = ({ service, ok }: SmokeResult) => proofs.set(service, ok)
  // A new action invalidates an earlier proof; later steps of the same action only clean up after it.
  const begin = (action: string, service: string) => {
    if (!begun.has(action)) proofs.delete(service)
    begun.add(action)
  }
  const end = ({ actions, smoke, reachable, problem }: HostReport) => {
    for (const result of actions) addResult(result)
    for (const result of smoke) addProof(result)
    if (reachable && problem === undefined) for (const { action } of actions) ended.add(action)
  }
  for (const entry of own) {
    if (entry.event === 'step-intended' && entry.action !== undefined) begin(entry.action, entry.service)
    if (entry.event === 'service-proved') addProof(entry.result)
    if (entry.event === 'action-ended') addResult(entry.result)
    if (entry.event === 'host-ended') end(entry.report)
  }
  return { results, proofs, ended }
}
