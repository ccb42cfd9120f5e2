import { defined } from '../lib/defined.ts'
import { converge } from '../lib/next-command.ts'
import type { HostOverview, Overview, ServiceOverview, Tone } from '../model/overview.ts'
import type { ActionResult, HostReport, RunReport, SmokeResult } from '../model/report.ts'
import { hostOverview } from './host-overview.ts'
import { overviewOfHostPlan, type Surroundings, type Whereabouts, worstTone } from './overview-of-plan.ts'
import { noPaint } from './paint.ts'
import { resumeCommands, withResumeAsNext } from './resume-commands.ts'
import { renderEnd } from './run-text.ts'
import { type Unsettled, unsettledIn } from './unsettled.ts'

/** What a run did and proved, by host and service: its plan, with the results. */
export function overviewOfRun(run: RunReport, { version, issues, whereabouts }: Surroundings): Overview {
  const report = withResumeAsNext(run)
  const goingOn = resumeCommands(report)
  const planned = new Map(
    report.plan?.hosts.map((host) => [host.host, hostOverview(host.host, () => overviewOfHostPlan(host, whereabouts))]),
  )
  const behind = unsettledIn(report)
  const hosts = report.hosts.map((host) =>
    hostOverview(host.host, () => leftBehind(overviewOfHost(host, planned.get(host.host), whereabouts), behind)),
  )
  const seen = new Set(report.hosts.map(({ host }) => host))
  const all = [...hosts, ...[...planned.values()].filter(({ host }) => !seen.has(host))]
  const unsettled = report.second_plan !== undefined && report.second_plan.changes > (report.plan?.summary.refusals ?? 0)
  const inventory = report.plan?.inventory ?? report.inventory
  return {
    verb: report.verb,
    ...defined({ inventory: inventory?.path }),
    headline: renderEnd(report, noPaint).split('\n')[0] ?? '',
    tone: worstTone([...all.map((host) => host.tone), ...(unsettled ? (['doubt'] as const) : [])]),
    at: report.finished_at,
    runId: report.run_id,
    ...(goingOn.length === 0 ? {} : { next: goingOn.map(({ words, does }) => converge(words, { note: does })) }),
    hosts: all,
    issues,
    version,
  }
}

/** Marks the servers that the run left down or in doubt. */
function leftBehind(host: HostOverview, unsettled: readonly Unsettled[]): HostOverview {
  const services = host.services.map((one) => {
    const state = unsettled.find(({ host: on, service }) => on === host.host && service === one.service)?.state
    return state === undefined ? one : { ...one, state: state === 'down' ? 'left down' : 'in doubt', tone: 'bad' as const }
  })
  return { ...host, tone: worstTone([host.tone, ...services.map(({ tone }) => tone)]), services }
}

function overviewOfHost(host: HostReport, planned: HostOverview | undefined, whereabouts: Whereabouts): HostOverview {
  const named = [...host.actions.map(({ action }) => serviceOf(action)), ...host.smoke.map(({ service }) => service)]
  const names = new Set([...(planned?.services ?? []).map(({ service }) => service), ...named])
  const services = [...names].map((service) => {
    const before = planned?.services.find((one) => one.service === service)
    const at = whereabouts(host.host, service)
    const blank: ServiceOverview = {
      service,
      tone: 'good',
      state: 'as wanted',
      actions: [],
      findings: [],
      ...defined({ at }),
    }
    const results = host.actions.filter(({ action }) => serviceOf(action) === service)
    return withOutcome(
      before ?? blank,
      results,
      host.smoke.find((one) => one.service === service),
    )
  })
  const problem = host.problem ?? planned?.problem
  return {
    host: host.host,
    reachable: host.reachable,
    ...defined({ problem }),
    tone: !host.reachable || host.problem !== undefined ? 'bad' : worstTone(services.map((one) => one.tone)),
    services,
  }
}

function withOutcome(
  service: ServiceOverview,
  results: readonly ActionResult[],
  smoke: SmokeResult | undefined,
): ServiceOverview {
  const planned = service.actions.map((action) => {
    const result = results.find((one) => one.action === action.id)
    return result === undefined ? action : { ...action, result }
  })
  const known = new Set(planned.map(({ id }) => id))
  const unplanned = results
    .filter(({ action }) => !known.has(action))
    .map((result) => ({ id: result.action, kind: kindOf(result.action), reason: '', changes: [], result }))
  const [state, tone] = outcomeOf(service, results, smoke)
  return { ...service, actions: [...planned, ...unplanned], ...defined({ smoke }), state, tone }
}

/** Its worst outcome, in a few words. */
function outcomeOf(
  { findings, state, tone }: ServiceOverview,
  results: readonly ActionResult[],
  smoke: SmokeResult | undefined,
): [string, Tone] {
  const seen = new Set<string>([...results.map(({ status }) => status), ...findings.map(({ level }) => level)])
  const doubtful: Tone = seen.has('warning') ? 'doubt' : 'good'
  if (seen.has('failed')) return ['failed', 'bad']
  if (smoke?.ok === false) return isRefuted(smoke) ? ['does not work', 'bad'] : ['not proved', 'doubt']
  if (seen.has('refused')) return ['refused', 'blocked']
  if (seen.has('not-run')) return ['not run', 'doubt']
  if (smoke !== undefined) return [seen.has('applied') ? 'applied, works' : 'works', doubtful]
  if (seen.has('applied')) return ['applied', doubtful]
  return [state, results.length > 0 ? doubtful : tone]
}

/** A check failed; a skipped check refutes nothing. */
function isRefuted({ checks }: SmokeResult): boolean {
  return checks.some(({ ok, skipped }) => !ok && skipped === undefined)
}

/** `nas/coder/start` → `coder`. */
function serviceOf(action: string): string {
  return action.split('/')[1] ?? action
}

function kindOf(action: string): string {
  return action.split('/')[2] ?? action
}
