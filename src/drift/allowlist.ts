import { defined } from '../lib/defined.ts'
import { globMatches } from '../lib/glob.ts'
import type { DriftFinding, HostDrift, IgnoredFinding, StaleIgnore } from '../model/drift.ts'
import type { DriftIgnore } from '../model/fleet.ts'

/** Findings after applying the inventory's `drift_ignore`, and its stale entries. */
export interface FilteredDrift {
  readonly hosts: readonly HostDrift[]
  readonly stale: readonly StaleIgnore[]
}

/**
 * Sets aside findings that the inventory ignores. An expired entry hides nothing. An entry that hid nothing, although everything it covers was
 * compared, is unused. Both are reported, or the list would only grow.
 *
 * @param whole whether all services of all hosts were compared: otherwise unused entries are not reported
 */
export function setAside(
  hosts: readonly HostDrift[],
  entries: readonly DriftIgnore[],
  { now, whole }: { readonly now: string; readonly whole: boolean },
): FilteredDrift {
  const expired = new Set(entries.filter((entry) => hasExpired(entry, now)))
  const used = new Set<DriftIgnore>()
  const filtered = hosts.map((host): HostDrift => {
    const ignored: IgnoredFinding[] = [...host.ignored]
    const findings = host.findings.filter((finding) => {
      const entry = entries.find((one) => !expired.has(one) && isAbout(one, host.host, finding))
      if (entry === undefined) return true
      used.add(entry)
      ignored.push({ ...finding, ...wordsOf(entry) })
      return false
    })
    return { ...host, findings, ignored }
  })
  const isUnused = (entry: DriftIgnore) => !used.has(entry) && !expired.has(entry) && wasCompared(entry, hosts, whole)
  return {
    hosts: filtered,
    stale: [
      ...entries.filter((entry) => expired.has(entry)).map((entry) => staleIgnore(entry, 'expired')),
      ...entries.filter(isUnused).map((entry) => staleIgnore(entry, 'unused')),
    ],
  }
}

function isAbout({ host = '*', service, field }: DriftIgnore, name: string, finding: DriftFinding): boolean {
  return globMatches(host, name) && globMatches(service, finding.service) && globMatches(field, finding.field)
}

function hasExpired({ until }: DriftIgnore, now: string): boolean {
  return until !== undefined && Date.parse(until) <= Date.parse(now)
}

/** An entry may be for something that could not be compared. */
function wasCompared({ host = '*' }: DriftIgnore, hosts: readonly HostDrift[], whole: boolean): boolean {
  return whole && hosts.every((one) => !globMatches(host, one.host) || (one.compared && one.not_compared.length === 0))
}

function wordsOf({ reason, owner, until }: DriftIgnore): Pick<IgnoredFinding, 'reason' | 'owner' | 'until'> {
  return { reason, owner, ...defined({ until }) }
}

function staleIgnore(entry: DriftIgnore, state: StaleIgnore['state']): StaleIgnore {
  const { host, service, field, source } = entry
  return {
    state,
    ...defined({ host }),
    service,
    field,
    ...wordsOf(entry),
    file: source.file,
    line: source.line,
  }
}
