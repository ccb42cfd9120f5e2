import type { HostPlan } from '../model/plan.ts'
import type { ActionResult, HostReport, RunReport } from '../model/report.ts'
import type { Paint } from './paint.ts'
import { type RecapColumn, renderRecap } from './recap.ts'

const columns: readonly RecapColumn[] = [
  { name: 'ok', style: 'green' },
  { name: 'applied', style: 'yellow' },
  { name: 'verified', style: 'green' },
  { name: 'not-verified', style: 'red' },
  { name: 'failed', style: 'red' },
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
  const count = (status: ActionResult['status']) => actions.filter((result) => result.status === status).length
  const asWanted = planned?.actions.filter(({ kind }) => kind === 'noop').length ?? 0
  return {
    ok: asWanted + count('not-needed'),
    applied: count('applied'),
    verified: smoke.filter(({ ok }) => ok).length,
    'not-verified': smoke.filter(({ ok }) => !ok).length,
    failed: count('failed'),
    refused: Math.max(planned?.refusals.length ?? 0, count('refused')),
    'not-run': count('not-run'),
    unreachable: reachable ? 0 : 1,
  }
}
