import { defined } from '../lib/defined.ts'
import { shownLine } from '../lib/visible-text.ts'
import type { Alert, SentAlert } from '../model/notification.ts'
import type { FetchOverview, HostOverview, Overview } from '../model/overview.ts'
import type { Problem } from '../model/plan.ts'
import { makeAlert, shortDigest } from './make-alert.ts'

/** The alerts of downloads on a host: failed or cut off, refused, or completed. */
export function alertsOfFetches(
  { verb, runId }: Pick<Overview, 'verb' | 'runId'>,
  { host, reachable, fetches = [] }: HostOverview,
): readonly Alert[] {
  if (!reachable) return []
  return fetches.flatMap((one) => [
    ...failureOf(host, one),
    ...(verb === 'fetch' ? refusalOf(host, one) : []),
    ...endOf(host, one, runId),
  ])
}

/**
 * Whether a run checked a download that an alert is about. A failure is gone when its model is complete, or when a person stopped the job. A
 * restart alone does not end it.
 *
 * @param isAbout whether the run selects a service
 */
export function lookedAtFetch(
  verb: string,
  { host, fetches = [] }: HostOverview,
  sent: SentAlert,
  isAbout: (services: string) => boolean,
): boolean {
  if (verb !== 'fetch' && (verb !== 'drift' || sent.event === 'refused')) return false
  const one = fetches.find(({ model }) => sent.id === idOf(sent, host, model))
  // No service uses this model now.
  if (one === undefined) return isAbout(sent.service)
  if (sent.event === 'failed') return one.state === 'complete' || one.state === 'stopped'
  return one.state !== 'unknown'
}

function idOf({ event, field }: SentAlert, host: string, model: string): string {
  return shortDigest(placeOf(event, host, model, event === 'refused' ? field : ''))
}

/** The parts of an alert's id. */
function placeOf(event: Alert['event'], host: string, model: string, code = ''): readonly string[] {
  return ['fetch', event, host, model, code]
}

/** The reason of a failure is not always visible, so it is not part of the news. */
function failureOf(host: string, one: FetchOverview): readonly Alert[] {
  const failure = downloadFailureOf(one)
  if (failure === undefined) return []
  const { how, problem, again } = failure
  const words = [`${how}${problem === undefined ? '' : `: ${problem.summary} ${problem.why}`}`, ...again].join('; ')
  return [alertAt('failed', host, one, { field: one.repo, text: words, news: how })]
}

interface DownloadFailure {
  readonly how: 'the download failed' | 'the download was cut off'
  readonly problem?: Problem
  readonly again: readonly string[]
}

function downloadFailureOf({ state, job, resumed, problem }: FetchOverview): DownloadFailure | undefined {
  const [failed, cutOff] = ['the download failed', 'the download was cut off'] as const
  if (state === 'complete') return undefined
  if (state === 'failed') return { how: failed, ...defined({ problem }), again: [] }
  if (resumed !== undefined && resumed.state !== 'stopped') {
    const how = resumed.state === 'failed' ? failed : cutOff
    return { how, ...defined({ problem: resumed.problem }), again: ['it was restarted'] }
  }
  if (state === 'refused') return undefined
  if (job?.state === 'failed') return { how: failed, again: [] }
  return job?.state === 'working' && !job.alive ? { how: cutOff, again: [] } : undefined
}

function refusalOf(host: string, one: FetchOverview): readonly Alert[] {
  const { state, problem } = one
  if (state !== 'refused' || problem === undefined) return []
  return [alertAt('refused', host, one, { field: problem.code, text: `${problem.summary} ${problem.why}`, news: '' })]
}

/** Only downloads that were seen running are reported; otherwise every download ever made would be. */
function endOf(host: string, one: FetchOverview, runId: string | undefined): readonly Alert[] {
  const { job, repo, size = '' } = one
  if (job === undefined) return []
  const isOwn = runId !== undefined && job.run_id === runId
  const stage = job.state === 'done' ? (isOwn ? 'swift' : 'over') : 'going'
  const text = `${size === '' ? '' : `${size} `}at ${job.commit.slice(0, 12)}`
  return [{ ...alertAt('fetched', host, one, { field: repo, text, news: job.run_id ?? job.commit }), stage }]
}

function alertAt(
  event: Alert['event'],
  host: string,
  { model, services }: FetchOverview,
  { field, text, news }: { readonly field: string; readonly text: string; readonly news: unknown },
): Alert {
  const place = [host, services.join(', '), field] as const
  const id = shortDigest(placeOf(event, host, model, event === 'refused' ? shownLine(field) : ''))
  return { ...makeAlert('fetch', event, place, { text, news }), id }
}
