import type { DriftDocument, DriftFinding, DriftSummary, HostDrift } from '../model/drift.ts'
import type { Finding } from '../model/overview.ts'
import { foldFields } from './fold-fields.ts'

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

/** The findings of a host as people read them: the same change of a definition and of its running server is one. */
export function foldedFindings({ findings }: HostDrift): readonly DriftFinding[] {
  return foldFields(findings, ({ field }) => field, sameOf).map(({ one, field }) => ({ ...one, field }))
}

/** Two findings with this in common are one change. */
function sameOf({ service, class: level, desired, recorded, actual, note }: DriftFinding): string {
  return JSON.stringify([service, level, desired, recorded, actual, note])
}

/** The lines about a host by what was found. The summary of a document counts fields. */
export function linesWith(host: HostDrift): DriftCounts {
  const folded = foldedFindings(host)
  const of = (level: string) => folded.filter((one) => one.class === level).length
  return {
    drift: of('drift'),
    pending: of('pending'),
    both: of('both'),
    foreign: of('foreign'),
    ignored: foldFields(host.ignored, ({ field }) => field, sameOf).length,
    not_compared: host.not_compared.length,
    unreachable: host.compared ? 0 : 1,
  }
}

/** The same of all hosts. */
export function linesInAll({ hosts }: Pick<DriftDocument, 'hosts'>): DriftCounts {
  const all = hosts.map(linesWith)
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
