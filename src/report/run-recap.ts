import type { HostPlan } from '../model/plan.ts'
import type { HostReport, RunReport } from '../model/report.ts'
import { countActions } from './count-actions.ts'
import type { Paint } from './paint.ts'
import { type RecapColumn, renderRecap } from './recap.ts'

const columns: readonly RecapColumn[] = [
  { name: 'ok', style: 'green' },
  { name: 'applied', style: 'yellow' },
  { name: 'verified', style: 'green' },
  { name: 'not-verified', style: 'red' },
  { name: 'failed', style: 'red' },
  { name: 'rolled-back', style: 'yellow' },
  { name: 'not-rolled-back', style: 'red' },
  { name: 'refused', style: 'red' },
  { name: 'not-run', style: 'magenta' },
  { name: 'unreachable', style: 'red' },
]

/** A line for each host of a run, those included that only its plan names. */
export function renderRunRecap({ hosts, plan }: Pick<RunReport, 'hosts' | 'plan'>, paint: Paint): string {
  const planned = new Map(plan?.hosts.map((host) => [host.host, host]))
  const seen = new Set(hosts.map(({ host }) => host))
  const unseen = [...planned.values()].filter(({ host }) => !seen.has(host)).map(withoutResults)
  const lines = [...hosts, ...unseen].map((host) => ({ host: host.host, counts: countsOf(host, planned.get(host.host)) }))
  return lines.length === 0 ? '' : renderRecap(lines, columns, paint)
}

function withoutResults({ host, reachable }: HostPlan): HostReport {
  return { host, reachable, actions: [], smoke: [] }
}

function countsOf({ reachable, actions, smoke }: HostReport, planned: HostPlan | undefined): Readonly<Record<string, number>> {
  const counts = countActions(actions)
  const asWanted = planned?.actions.filter(({ kind }) => kind === 'noop').length ?? 0
  return {
    ok: asWanted + counts.notNeeded,
    applied: counts.applied,
    verified: smoke.filter(({ ok }) => ok).length,
    'not-verified': smoke.filter(({ ok }) => !ok).length,
    failed: counts.failed,
    'rolled-back': counts.rolledBack,
    'not-rolled-back': counts.notRolledBack,
    refused: Math.max(planned?.refusals.length ?? 0, counts.refused),
    'not-run': counts.notRun,
    unreachable: reachable ? 0 : 1,
  }
}
