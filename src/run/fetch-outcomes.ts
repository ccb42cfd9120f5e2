import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { isObject } from '../lib/json-object.ts'
import { mapStrings } from '../lib/map-strings.ts'
import type { FetchedState } from '../model/fetch.ts'
import type { FetchDocument, FetchedModel } from '../model/fetch-document.ts'
import type { KeptRun } from '../model/kept-run.ts'
import { overviewOfFetch } from '../report/overview-of-fetch.ts'
import { safeOverview } from '../report/safe-overview.ts'
import { failureProblem } from '../simulate/fetch/failure.ts'
import { misfit } from '../state/kept-report.ts'
import { keepRun, listKept, readKept } from '../state/run-history.ts'

/** A model as seen on its host. */
export type SeenFetch = Pick<FetchedModel, 'host' | 'model' | 'job'> & Partial<Pick<FetchedModel, 'files'>>

type HistoryAccess = Pick<Context, 'env' | 'cwd' | 'err' | 'now' | 'redactor'>

/**
 * Adds the outcomes of finished jobs to the history of the runs on this machine that started them, because a run ends before its jobs do.
 * Each outcome is written once. Unreadable entries stay unchanged.
 */
export async function noteOutcomes(context: HistoryAccess, seen: readonly SeenFetch[]): Promise<void> {
  const over = seen.filter(({ job }) => job?.run_id !== undefined && outcomeOf(job) !== undefined)
  if (over.length === 0) return
  const kept = new Set(await listKept(context).catch(nothingIfUnusable))
  // oxlint-disable-next-line no-await-in-loop -- each may be large, and there are few
  for (const [id, ended] of Map.groupBy(over, ({ job }) => job?.run_id ?? '')) if (kept.has(id)) await noteIn(context, id, ended)
}

function nothingIfUnusable(error: unknown): readonly string[] {
  if (error instanceof ConvergeError) return []
  throw error
}

/** The state of a model after its job; undefined: the job is running. A job that was cut off leaves it due. */
function outcomeOf({ state, alive }: NonNullable<SeenFetch['job']>): FetchedState | undefined {
  if (state === 'working') return alive ? undefined : 'due'
  return state === 'done' ? 'complete' : state
}

async function noteIn(context: HistoryAccess, id: string, ended: readonly SeenFetch[]): Promise<void> {
  const kept = await readKept(context, id)
  if (!('document' in kept) || kept.verb !== 'fetch' || !isWaiting(kept.document, ended)) return
  const { validateFetch } = await import('../generated/document-validators.js')
  if (misfit(validateFetch, kept.document) !== undefined) return
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its schema says so
  await keepRun(context, withOutcomes(context, kept, kept.document as FetchDocument, ended))
}

/** Whether one of the downloads was running when the history entry was written. */
function isWaiting(document: unknown, ended: readonly SeenFetch[]): boolean {
  const models: unknown = isObject(document) ? document['models'] : undefined
  if (!Array.isArray(models)) return false
  return ended.some(({ host, model }) =>
    models.some((one: unknown) => isObject(one) && one['host'] === host && one['model'] === model && one['state'] === 'fetching'),
  )
}

function withOutcomes(context: HistoryAccess, kept: KeptRun, before: FetchDocument, ended: readonly SeenFetch[]): KeptRun {
  const redact = (text: string) => context.redactor.redact(text)
  const models = before.models.map((one) => {
    const end = ended.find(({ host, model }) => host === one.host && model === one.model)
    return end === undefined || one.state !== 'fetching' ? one : endedModel(one, end)
  })
  const document = { ...before, created_at: context.now().toISOString(), models }
  const { version, issues, hosts } = kept.overview
  const whereabouts = (host: string, service: string) =>
    hosts.find((one) => one.host === host)?.services.find((one) => one.service === service)?.at
  const overview = overviewOfFetch(document, { version, issues, whereabouts })
  return { ...kept, overview: safeOverview(overview, redact), document: mapStrings(document, redact) }
}

function endedModel(before: FetchedModel, { host, job, files: seen = [] }: SeenFetch): FetchedModel {
  const state = job === undefined ? undefined : outcomeOf(job)
  if (job === undefined || state === undefined) return before
  const files = before.files.map((file) => ({ ...file, have: file.bytes, state: 'complete' as const }))
  return {
    ...before,
    state,
    job,
    ...(state === 'complete' ? { files } : seen.length === before.files.length ? { files: seen } : {}),
    ...(state === 'failed' ? { problem: failureProblem(host, job) } : {}),
  }
}
