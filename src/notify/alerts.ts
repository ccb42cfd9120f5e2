import { comparedWords } from '../drift/compared-words.ts'
import { shownLine } from '../lib/visible-text.ts'
import { hostItself } from '../model/action.ts'
import type { Alert } from '../model/notification.ts'
import type { ActionOverview, Finding, HostOverview, Overview, ServiceOverview } from '../model/overview.ts'
import { alertsOfFetches } from './fetch-alerts.ts'
import { makeAlert, shortDigest } from './make-alert.ts'

/** The maximum number of alerts that are sent and remembered; the rest counts as one. */
const max = 20_000

/** The alerts of an overview, in its order. */
export function alertsOf(overview: Overview): readonly Alert[] {
  const all = distinct(overview.hosts.flatMap((host) => [...alertsOfHost(host), ...alertsOfFetches(overview, host)]))
  if (all.length <= max) return all
  const rest = all.slice(max)
  const text = `${rest.length} more findings, not listed one by one`
  return [...all.slice(0, max), makeAlert('rest', 'drift', ['(fleet)', hostItself, 'more'], { text, news: rest.map(newsOf) })]
}

function alertsOfHost({ host, reachable, problem, services }: HostOverview): readonly Alert[] {
  // The reason may differ from run to run and is no news.
  if (!reachable)
    return [makeAlert('host', 'unreachable', [host, hostItself, 'unreachable'], { text: problem?.summary ?? '', news: '' })]
  const stopped =
    problem === undefined
      ? []
      : [makeAlert('action', 'failed', [host, hostItself, problem.code], { text: `${problem.summary} ${problem.why}`, news: '' })]
  return [...stopped, ...services.flatMap((service) => alertsOfService(host, service))]
}

function alertsOfService(host: string, { service, findings, actions, smoke }: ServiceOverview): readonly Alert[] {
  const failedChecks = smoke?.checks.filter(({ ok, skipped }) => !ok && skipped === undefined) ?? []
  return [
    ...findings.flatMap((finding) => alertOfFinding(host, service, finding) ?? []),
    ...actions.flatMap((action) => alertOfAction(host, service, action) ?? []),
    ...(failedChecks.length === 0
      ? []
      : [
          makeAlert('smoke', 'failed', [host, service, 'smoke'], {
            text: failedChecks.map(({ name, detail }) => `${name}: ${detail}`).join('; '),
            news: failedChecks.map(({ name }) => name),
          }),
        ]),
  ]
}

function alertOfFinding(host: string, service: string, finding: Finding): Alert | undefined {
  const { level, code, summary, why, values } = finding
  // The reason of a refusal contains changing figures: memory, ages, pids.
  if (level === 'refused') return makeAlert('plan', level, [host, service, code], { text: `${summary} ${why}`, news: '' })
  if (level === 'warning' || level === 'overruled' || level === 'ignored' || level === 'not compared') return undefined
  // A restart of an unmanaged server is no news.
  const here = level === 'foreign' ? null : values?.here
  return makeAlert('drift', level, [host, service, code], {
    text: values === undefined ? '' : comparedWords({ class: level, field: code, ...threeOf(values) }, shownValue),
    news: [level, values?.wanted, values?.applied, here],
  })
}

function threeOf({ wanted, applied, here }: NonNullable<Finding['values']>) {
  return { desired: wanted, recorded: applied, actual: here }
}

function shownValue(value: string | null): string {
  return shownLine(value ?? '(none)')
}

function alertOfAction(host: string, service: string, { kind, result }: ActionOverview): Alert | undefined {
  // Downloads are reported as jobs, by whichever run sees their end.
  if (result?.status !== 'failed' || kind === 'fetch') return undefined
  const { problem, left } = result
  const text = [problem?.summary, problem?.why, left].filter((one) => one !== undefined).join(' ')
  return makeAlert('action', 'failed', [host, service, kind], { text, news: problem?.code ?? '' })
}

/** Gives a second unmanaged server with the same name on one host its own id. */
function distinct(alerts: readonly Alert[]): readonly Alert[] {
  const times = new Map<string, number>()
  return alerts.map((one) => {
    const before = times.get(one.id) ?? 0
    times.set(one.id, before + 1)
    return before === 0 ? one : { ...one, id: shortDigest([one.id, before]) }
  })
}

function newsOf({ id, digest }: Alert): readonly string[] {
  return [id, digest]
}
