import type { HostDrift } from '../model/drift.ts'
import type { Paint } from './paint.ts'
import { type RecapColumn, renderRecap } from './recap.ts'

const columns: readonly RecapColumn[] = [
  { name: 'drift', style: 'red', always: true },
  { name: 'pending', style: 'yellow', always: true },
  { name: 'both', style: 'red' },
  { name: 'foreign', style: 'magenta' },
  { name: 'ignored', style: 'green' },
  { name: 'not-compared', style: 'yellow' },
  { name: 'unreachable', style: 'red' },
]

/** A line for each host of a comparison: its findings by their class. */
export function renderDriftRecap(hosts: readonly HostDrift[], paint: Paint): string {
  const lines = hosts.map(({ host, compared, findings, ignored, not_compared }) => ({
    host,
    counts: {
      ...Object.fromEntries([...Map.groupBy(findings, (one) => one.class)].map(([name, of]) => [name, of.length])),
      ignored: ignored.length,
      'not-compared': not_compared.length,
      unreachable: compared ? 0 : 1,
    },
  }))
  return lines.length === 0 ? '' : renderRecap(lines, columns, paint)
}
