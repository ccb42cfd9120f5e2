import type { Plan } from '../model/plan.ts'
import { summaryOf } from '../plan/plan-fleet.ts'
import type { Document } from '../report/merge/merge-runs.ts'
import { packed } from './packed-values.ts'

/** The same document, whose hosts take little memory: the reports of a large fleet are merged from many files. */
export function packedHosts(document: Document): Document {
  if (document.schema === 'converge/plan/v1') return packedPlan(document, 0)
  if (document.schema === 'converge/drift/v1') return { ...document, hosts: packed(document.hosts, 2) }
  const { plan, hosts } = document
  return { ...document, ...(plan === undefined ? {} : { plan: packedPlan(plan, 1) }), hosts: packed(hosts, 2) }
}

/** Its totals are those of its hosts, whatever the file says: they are not counted again. @param depth of the plan */
function packedPlan(plan: Plan, depth: number): Plan {
  return { ...plan, summary: summaryOf(plan.hosts), hosts: packed(plan.hosts, depth + 2) }
}
