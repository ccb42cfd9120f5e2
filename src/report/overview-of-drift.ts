import { defined } from '../lib/defined.ts'
import { hostItself } from '../model/action.ts'
import type { DriftDocument, DriftFinding, HostDrift, IgnoredFinding, NotCompared } from '../model/drift.ts'
import { overrideField } from '../model/operation.ts'
import type { Finding, HostOverview, Overview, ServiceOverview, Tone } from '../model/overview.ts'
import { renderDriftSummary } from './drift-text.ts'
import { levelWord } from './drift-words.ts'
import { plannedFetch } from './fetch-overview.ts'
import { hostOverview } from './host-overview.ts'
import { type Surroundings, type Whereabouts, worstTone } from './overview-of-plan.ts'
import { noPaint } from './paint.ts'
import { headlineOn } from './rests-on.ts'
import { severities } from './severity.ts'

/** The findings of a comparison, by host and service. */
export function overviewOfDrift(document: DriftDocument, { version, issues, whereabouts }: Surroundings): Overview {
  const hosts = document.hosts.map((host) => hostOverview(host.host, () => overviewOfHost(host, whereabouts)))
  return {
    verb: 'drift',
    inventory: document.inventory.path,
    headline: headlineOn(renderDriftSummary(document, noPaint).replace(/^Drift: /, ''), document.facts_from),
    tone: worstTone(hosts.map((host) => host.tone)),
    at: document.created_at,
    version,
    hosts,
    issues,
  }
}

function overviewOfHost(
  { host, compared, problem, last_applied_at, findings, ignored, not_compared, fetches }: HostDrift,
  whereabouts: Whereabouts,
): HostOverview {
  const names = new Set([...findings, ...not_compared, ...ignored].map(({ service }) => service))
  const services = [...names].map((service): ServiceOverview => {
    const found = [
      ...findings.filter((one) => one.service === service).map(findingOf),
      ...not_compared.filter((one) => one.service === service).map(unseen),
      ...ignored.filter((one) => one.service === service).map(setAside),
    ]
    const at = service === hostItself ? undefined : whereabouts(host, service)
    const levels = [...new Set(found.map(({ level }) => level))]
    return {
      service,
      tone: worstTone(found.map(toneOf)),
      state: levels.join(', '),
      actions: [],
      findings: found,
      ...defined({ at }),
    }
  })
  return {
    host,
    reachable: compared,
    ...defined({ problem, appliedAt: last_applied_at }),
    tone: compared ? worstTone(services.map((one) => one.tone)) : 'bad',
    services,
    ...defined({ fetches: fetches?.map(plannedFetch) }),
  }
}

const meanings: Readonly<Record<DriftFinding['class'], string>> = {
  drift: 'The host differs from the last apply.',
  pending: 'The inventory has a change that is not applied yet.',
  both: 'The host and the inventory both changed.',
  foreign: 'The inventory does not explain it.',
}

function findingOf({ field, class: level, desired, recorded, actual, note }: DriftFinding): Finding {
  return {
    level,
    code: field,
    summary: meanings[level],
    why: note ?? '',
    evidence: [],
    next: [],
    values: { wanted: desired, applied: recorded, here: actual },
  }
}

function setAside({ reason, owner, until, note: _note, ...finding }: IgnoredFinding): Finding {
  const why = `${levelWord(finding.class)}, ignored by ${owner}${until === undefined ? '' : ` until ${until}`}: ${reason}`
  return {
    ...findingOf(finding),
    level: 'ignored',
    summary: finding.field === overrideField ? 'A person asked for it.' : 'An entry of drift_ignore suppresses it.',
    why,
    settled: reason,
  }
}

function unseen({ code, why, next }: NotCompared): Finding {
  return { level: 'not compared', code, summary: 'Could not read the facts needed to compare.', why, evidence: [], next }
}

const tones = { error: 'bad', warning: 'doubt', note: 'good' } as const

function toneOf({ level }: Finding): Tone {
  return level === 'pending' || level === 'foreign' ? level : tones[severities[level]]
}
