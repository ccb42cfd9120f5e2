import type { Document } from '../report/merge/merge-runs.ts'
import { packed } from './packed-values.ts'

/** The same document, whose hosts take little memory: the reports of a large fleet are merged from many files. */
export function packedHosts(document: Document): Document {
  if (document.schema === 'converge/plan/v1') return { ...document, hosts: packed(document.hosts) }
  if (document.schema === 'converge/drift/v1') return { ...document, hosts: packed(document.hosts) }
  const { plan, hosts } = document
  const planned = plan === undefined ? {} : { plan: { ...plan, hosts: packed(plan.hosts) } }
  return { ...document, ...planned, hosts: packed(hosts) }
}
