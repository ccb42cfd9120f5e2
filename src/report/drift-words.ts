import type { DriftDocument, DriftSummary, HostDrift } from '../model/drift.ts'
import type { Finding } from '../model/overview.ts'

/** A level as people read it; documents have its name. */
export function levelWord(level: Finding['level']): string {
  return level === 'both' ? 'conflict' : level
}

const states: Readonly<Record<string, string>> = {
  'as wanted': 'ok',
  both: levelWord('both'),
  'left down': 'down',
  'in doubt': 'unknown',
  'not proved': 'not verified',
}

/** The state of a service, which may be a list, as people read it; documents and metrics have their names. */
export function stateWords(state: string): string {
  return state
    .split(', ')
    .map((one) => states[one] ?? one)
    .join(', ')
}

export type DriftCounts = Readonly<Record<Exclude<keyof DriftSummary, 'hosts' | 'stale_ignores'>, number>>

/** Services of a host by what was found; the host itself counts as one. The summary of a document counts fields. */
export function servicesWith({ compared, findings, ignored, not_compared }: HostDrift): DriftCounts {
  const of = (level: string) => among(findings.filter((one) => one.class === level))
  return {
    drift: of('drift'),
    pending: of('pending'),
    both: of('both'),
    foreign: of('foreign'),
    ignored: among(ignored),
    not_compared: among(not_compared),
    unreachable: compared ? 0 : 1,
  }
}

function among(all: readonly { readonly service: string }[]): number {
  return new Set(all.map(({ service }) => service)).size
}

/** The same of all hosts. */
export function servicesInAll({ hosts }: Pick<DriftDocument, 'hosts'>): DriftCounts {
  const all = hosts.map(servicesWith)
  const sum = (name: keyof DriftCounts) => all.reduce((total, counts) => total + counts[name], 0)
  return {
    drift: sum('drift'),
    pending: sum('pending'),
    both: sum('both'),
    foreign: sum('foreign'),
    ignored: sum('ignored'),
    not_compared: sum('not_compared'),
    unreachable: sum('unreachable'),
  }
}
