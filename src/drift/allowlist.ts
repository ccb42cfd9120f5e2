import { defined } from '../lib/defined.ts'
import { globMatches } from '../lib/glob.ts'
import type { DriftFinding, HostDrift, IgnoredFinding, StaleIgnore } from '../model/drift.ts'
import type { DriftIgnore } from '../model/fleet.ts'

/** Findings after the inventory's `drift_ignore`, and what is to be said of its entries. */
export interface Allowed {
  readonly hosts: readonly HostDrift[]
  readonly stale: readonly StaleIgnore[]
}

/**
 * Sets aside what the inventory says is known and right. An entry that has run out hides nothing any more, and one that hid nothing where
 * everything it is about was looked at is of no use: both are told, or the list would only grow.
 *
 * @param whole whether all services of the fleet's hosts were compared: nothing is said of an entry of which the subject was left out
 */
export function setAside(
  hosts: readonly HostDrift[],
  entries: readonly DriftIgnore[],
  { now, whole }: { readonly now: string; readonly whole: boolean },
): Allowed {
  const expired = new Set(entries.filter((entry) => hasRunOut(entry, now)))
  const used = new Set<DriftIgnore>()
  const told = hosts.map((host): HostDrift => {
    const ignored: IgnoredFinding[] = []
    const findings = host.findings.filter((finding) => {
      const entry = entries.find((one) => !expired.has(one) && isAbout(one, host.host, finding))
      if (entry === undefined) return true
      used.add(entry)
      ignored.push({ ...finding, ...wordsOf(entry) })
      return false
    })
    return { ...host, findings, ignored }
  })
  const isUnused = (entry: DriftIgnore) => !used.has(entry) && !expired.has(entry) && wasLookedAt(entry, hosts, whole)
  return {
    hosts: told,
    stale: [
      ...entries.filter((entry) => expired.has(entry)).map((entry) => staleIgnore(entry, 'expired')),
      ...entries.filter(isUnused).map((entry) => staleIgnore(entry, 'unused')),
    ],
  }
}

function isAbout({ host = '*', service, field }: DriftIgnore, name: string, finding: DriftFinding): boolean {
  return globMatches(host, name) && globMatches(service, finding.service) && globMatches(field, finding.field)
}

function hasRunOut({ until }: DriftIgnore, now: string): boolean {
  return until !== undefined && Date.parse(until) <= Date.parse(now)
}

/** What could not be compared may be what the entry is for. */
function wasLookedAt({ host = '*' }: DriftIgnore, hosts: readonly HostDrift[], whole: boolean): boolean {
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
