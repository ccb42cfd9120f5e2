import type { FactsDocument, ObservedHost } from '../model/facts-document.ts'
import type { HostOverview, Overview, ServiceOverview } from '../model/overview.ts'
import { type FactLine, factLines } from './facts-text.ts'
import { hostOverview } from './host-overview.ts'
import { type Surroundings, worstTone } from './overview-of-plan.ts'

interface FactsSeen extends Pick<FactsDocument, 'hosts'> {
  readonly inventory: string
  /** ISO 8601. */
  readonly at: string
}

/** Facts, by host: each in the place of a service. What is unknown is a finding. */
export function overviewOfFacts({ inventory, at, hosts: seen }: FactsSeen, { version, issues }: Surroundings): Overview {
  const hosts = seen.map((one) => hostOverview(one.host, () => overviewOfHost(one)))
  const unreachable = hosts.filter(({ reachable }) => !reachable).length
  const unknowns = hosts.flatMap(({ services }) => services).filter(({ findings }) => findings.length > 0).length
  const count = `Facts of ${hosts.length - unreachable} of ${hosts.length} ${hosts.length === 1 ? 'host' : 'hosts'}`
  const headline = `${count}${unknowns === 0 ? '' : `, ${unknowns} unknown`}${unreachable === 0 ? '' : `, ${unreachable} unreachable`}.`
  return { verb: 'facts', inventory, headline, tone: worstTone(hosts.map(({ tone }) => tone)), at, version, hosts, issues }
}

function overviewOfHost(seen: ObservedHost): HostOverview {
  const { host } = seen
  if (!seen.reachable) return { host, reachable: false, problem: seen.problem, tone: 'bad', services: [] }
  const services = factLines(seen.facts).map(overviewOfFact)
  return { host, reachable: true, tone: worstTone(services.map(({ tone }) => tone)), services }
}

function overviewOfFact({ label, isKnown, words }: FactLine): ServiceOverview {
  const state = isKnown ? words.replaceAll('\n', '; ') : 'unknown'
  const finding = {
    level: 'not compared',
    code: `facts.${label}`,
    summary: 'Unknown.',
    why: words,
    evidence: [],
    next: [],
  } as const
  return { service: label, tone: isKnown ? 'good' : 'doubt', state, actions: [], findings: isKnown ? [] : [finding] }
}
