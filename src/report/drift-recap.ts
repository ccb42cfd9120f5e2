import type { HostDrift } from '../model/drift.ts'
import { linesWith } from './drift-words.ts'
import type { Paint } from './paint.ts'
import { type RecapColumn, renderRecap } from './recap.ts'

const columns: readonly RecapColumn[] = [
  { name: 'drift', style: 'red', always: true },
  { name: 'pending', style: 'yellow', always: true },
  { name: 'conflict', style: 'red' },
  { name: 'foreign', style: 'magenta' },
  { name: 'ignored', style: 'green' },
  { name: 'not-compared', style: 'yellow' },
  { name: 'unreachable', style: 'red' },
]

/** A line for each host of a comparison: its lines by what was found. */
export function renderDriftRecap(hosts: readonly HostDrift[], paint: Paint): string {
  const lines = hosts.map((one) => {
    const { both, not_compared, ...counts } = linesWith(one)
    return { host: one.host, counts: { ...counts, conflict: both, 'not-compared': not_compared } }
  })
  return lines.length === 0 ? '' : renderRecap(lines, columns, paint)
}
