import { defined } from '../lib/defined.ts'
import { hostItself } from '../model/action.ts'
import type { InventoryIssue } from '../model/issue.ts'
import type { Overview } from '../model/overview.ts'
import { findingOf, type Surroundings, worstTone } from './overview-of-plan.ts'
import type { ValidationDocument } from './validation-text.ts'

/** The findings of the files alone, by host and service. */
export function overviewOfValidation(document: ValidationDocument, { version, issues, whereabouts }: Surroundings): Overview {
  const hosts = document.hosts.map(({ host, refusals, warnings }) => {
    const names = new Set([...refusals, ...warnings].map((one) => one.service ?? hostItself))
    const services = [...names].map((service) => {
      const about = (one: { readonly service?: string }): boolean => (one.service ?? hostItself) === service
      const refused = refusals.filter(about)
      const doubtful = warnings.filter(about)
      const at = whereabouts(host, service)
      return {
        service,
        tone: refused.length > 0 ? ('blocked' as const) : ('doubt' as const),
        state: refused.length > 0 ? 'refused' : 'doubtful',
        actions: [],
        findings: [...refused.map((one) => findingOf(one, 'refused')), ...doubtful.map((one) => findingOf(one, 'warning'))],
        ...defined({ at }),
      }
    })
    return { host, reachable: true, tone: worstTone(services.map((one) => one.tone)), services }
  })
  const { summary } = document
  return {
    verb: 'validate',
    headline: `${summary.refusals} refused, ${summary.warnings} warnings (${summary.hosts} hosts, ${summary.services} services)`,
    tone: worstTone(hosts.map((host) => host.tone)),
    hosts,
    issues,
    version,
  }
}

/** An invalid inventory: only its issues. */
export function overviewOfIssues(
  issues: readonly InventoryIssue[],
  { verb, version }: { readonly verb: string; readonly version: string },
): Overview {
  const errors = issues.filter(({ severity }) => severity === 'error').length
  return {
    verb,
    headline: `The inventory is invalid: ${errors} ${errors === 1 ? 'mistake' : 'mistakes'}. No host was contacted.`,
    tone: errors > 0 ? 'bad' : 'doubt',
    version,
    hosts: [],
    issues,
  }
}
