import { binaryBytes } from '../lib/binary-bytes.ts'
import { defined } from '../lib/defined.ts'
import type { FetchedState } from '../model/fetch.ts'
import type { FetchDocument, FetchedModel, UnseenHost } from '../model/fetch-document.ts'
import type { ActionOverview, Finding, HostOverview, Overview, ServiceOverview, Tone } from '../model/overview.ts'
import type { Problem } from '../model/plan.ts'
import { fetchedModel } from './fetch-overview.ts'
import { isCutOff } from './fetch-text.ts'
import { hostOverview } from './host-overview.ts'
import { type Surroundings, type Whereabouts, worstTone } from './overview-of-plan.ts'

/** The state of models, by host and service. */
export function overviewOfFetch(document: FetchDocument, { version, issues, whereabouts }: Surroundings): Overview {
  const { run_id: runId, created_at: at, inventory, unreachable, models } = document
  const seen = [...Map.groupBy(models, ({ host }) => host)].map(([host, own]) =>
    hostOverview(host, () => overviewOfHost(host, own, { runId, whereabouts })),
  )
  const hosts = [...seen, ...unreachable.map(unseenHost)]
  return {
    verb: 'fetch',
    inventory: inventory.path,
    headline: headlineOf(models, hosts),
    tone: worstTone(hosts.map(({ tone }) => tone)),
    at,
    ...defined({ runId }),
    version,
    hosts,
    issues,
  }
}

interface Around {
  readonly runId: string | undefined
  readonly whereabouts: Whereabouts
}

function overviewOfHost(host: string, models: readonly FetchedModel[], around: Around): HostOverview {
  const services = models.flatMap((model) => model.services.map((service) => overviewOfService(model, service, around)))
  const tone = worstTone(services.map((one) => one.tone))
  return { host, reachable: true, tone, services, fetches: models.map(fetchedModel) }
}

function unseenHost({ host, problem }: UnseenHost): HostOverview {
  return { host, reachable: false, problem, tone: 'bad', services: [] }
}

const tones = {
  complete: 'good',
  fetching: 'pending',
  due: 'pending',
  stopped: 'doubt',
  failed: 'bad',
  refused: 'blocked',
  unknown: 'doubt',
} as const satisfies Record<FetchedState, Tone>

const words = {
  complete: 'complete',
  fetching: 'being fetched',
  due: 'to fetch',
  stopped: 'stopped',
  failed: 'failed',
  refused: 'refused',
  unknown: 'unknown',
} as const satisfies Record<FetchedState, string>

function wordOf(model: FetchedModel): string {
  return isCutOff(model) ? 'cut off' : words[model.state]
}

function overviewOfService(model: FetchedModel, service: string, { runId, whereabouts }: Around): ServiceOverview {
  const { host, state, problem, warning } = model
  const at = whereabouts(host, service)
  const isDone = state === 'complete' && (runId === undefined || model.job?.run_id !== runId)
  const isHeld = state === 'refused' || state === 'unknown'
  return {
    service,
    tone: tones[state],
    state: wordOf(model),
    actions: isDone || isHeld ? [] : [actionOf(model, service)],
    findings: [
      ...(isHeld && problem !== undefined ? [findingOf(problem, state === 'refused' ? 'refused' : 'not compared')] : []),
      ...(warning === undefined ? [] : [findingOf(warning, 'warning')]),
    ],
    ...defined({ at }),
  }
}

/** A download in progress, or not started, has no result yet. */
function actionOf(model: FetchedModel, service: string): ActionOverview {
  const { host, state, repo, problem } = model
  const id = `${host}/${service}/fetch`
  const base = { id, kind: 'fetch', reason: `${progressOf([model])} from ${repo}`, changes: [] }
  if (state === 'complete') return { ...base, result: { action: id, status: 'applied', ms: 0, done: [] } }
  if (state !== 'failed') return base
  return { ...base, result: { action: id, status: 'failed', ms: 0, done: [], ...defined({ problem }) } }
}

function findingOf({ code, summary, why, next }: Problem, level: Finding['level']): Finding {
  return { level, code, summary, why, evidence: [], next }
}

/** `1 complete, 1 being fetched, 33.3 GiB of 81.5 GiB (2 hosts).` */
function headlineOf(models: readonly FetchedModel[], hosts: readonly HostOverview[]): string {
  const states = [...Object.values(words), 'cut off'].flatMap((word) => {
    const count = models.filter((one) => wordOf(one) === word).length
    return count === 0 ? [] : [`${count} ${word}`]
  })
  const unreachable = hosts.filter(({ reachable }) => !reachable).length
  const parts = [
    ...(models.length === 0 ? ['nothing to fetch'] : states),
    ...(models.some(({ files }) => files.length > 0) ? [progressOf(models)] : []),
    ...(unreachable === 0 ? [] : [`${unreachable} unreachable`]),
  ]
  return `${parts.join(', ')} (${hosts.length} ${hosts.length === 1 ? 'host' : 'hosts'}).`
}

function progressOf(models: readonly FetchedModel[]): string {
  const files = models.flatMap((one) => one.files)
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const have = files.reduce((sum, file) => sum + file.have, 0)
  return have === total ? binaryBytes(total) : `${binaryBytes(have)} of ${binaryBytes(total)}`
}
