import type { HostPlan } from '../model/plan.ts'
import type { Paint } from './paint.ts'
import { isThere } from './plan-fetch-text.ts'
import { type RecapColumn, type RecapLine, renderRecap } from './recap.ts'

const columns: readonly RecapColumn[] = [
  { name: 'ok', style: 'green' },
  { name: 'adopt', style: 'yellow' },
  { name: 'install', style: 'yellow' },
  { name: 'update', style: 'yellow' },
  { name: 'start', style: 'yellow' },
  { name: 'restart', style: 'yellow' },
  { name: 'stop', style: 'yellow' },
  { name: 'remove', style: 'yellow' },
  { name: 'release', style: 'yellow' },
  { name: 'host-setting', style: 'yellow' },
  { name: 'download', style: 'yellow' },
  { name: 'fetch', style: 'cyan' },
  { name: 'overruled', style: 'yellow' },
  { name: 'refused', style: 'red' },
  { name: 'warnings', style: 'cyan' },
  { name: 'unreachable', style: 'red' },
]

/** A line for each host of a plan. */
export function renderPlanRecap(lines: readonly RecapLine[], paint: Paint): string {
  return renderRecap(lines, columns, paint)
}

/** The actions of a host by their kind, and what the rules say. */
export function planLine({ host, reachable, actions, refusals, warnings, consented, fetches = [] }: HostPlan): RecapLine {
  const kinds = [...Map.groupBy(actions, ({ kind }) => (kind === 'noop' ? 'ok' : kind))].map(([kind, of]) => [kind, of.length])
  const counts = {
    ...Object.fromEntries(kinds),
    fetch: fetches.filter((one) => !isThere(one)).length,
    overruled: consented.length,
    refused: refusals.length,
    warnings: warnings.length,
    unreachable: reachable ? 0 : 1,
  }
  return { host, counts }
}
