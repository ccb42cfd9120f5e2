import type { Action } from '../model/action.ts'
import type { JournalEntry } from '../model/journal.ts'
import type { ActionResult, HostReport, SmokeResult } from '../model/report.ts'

/**
 * Which actions of a host came to their end: done or not needed, and proved where one of their service starts its server. A host whose end
 * was told without any proof was not to be proved.
 *
 * @param actions of the run's plan for the host
 * @param own what the journal tells of the host, in its order
 * @returns their ids
 */
export function settledActions(actions: readonly Action[], own: readonly JournalEntry[]): readonly string[] {
  const told = whatIsTold(own)
  const done = ({ id }: Action) => ['applied', 'not-needed'].includes(told.results.get(id) ?? '')
  const isProved = (service: string) => {
    const others = actions.filter((one) => one.service === service && one.kind !== 'noop')
    if (!others.some(({ starts }) => starts)) return true
    return told.proofs.get(service) ?? others.every((one) => done(one) && told.ended.has(one.id))
  }
  return actions.filter((action) => done(action) && isProved(action.service)).map(({ id }) => id)
}

interface Told {
  readonly results: ReadonlyMap<string, ActionResult['status']>
  /** By service: how the last proof went, of what the last of its actions made of it. */
  readonly proofs: ReadonlyMap<string, boolean>
  /** Actions on hosts that came to their end. */
  readonly ended: ReadonlySet<string>
}

function whatIsTold(own: readonly JournalEntry[]): Told {
  const results = new Map<string, ActionResult['status']>()
  const proofs = new Map<string, boolean>()
  const ended = new Set<string>()
  const begun = new Set<string>()
  const hear = ({ action, status }: ActionResult) => results.set(action, status)
  const learn = ({ service, ok }: SmokeResult) => proofs.set(service, ok)
  // What was proved before is not what is there from now on; its last steps only tidy up behind the proof.
  const begin = (action: string, service: string) => {
    if (!begun.has(action)) proofs.delete(service)
    begun.add(action)
  }
  const end = ({ actions, smoke, reachable, problem }: HostReport) => {
    for (const result of actions) hear(result)
    for (const result of smoke) learn(result)
    if (reachable && problem === undefined) for (const { action } of actions) ended.add(action)
  }
  for (const entry of own) {
    if (entry.event === 'step-intended' && entry.action !== undefined) begin(entry.action, entry.service)
    if (entry.event === 'service-proved') learn(entry.result)
    if (entry.event === 'action-ended') hear(entry.result)
    if (entry.event === 'host-ended') end(entry.report)
  }
  return { results, proofs, ended }
}
