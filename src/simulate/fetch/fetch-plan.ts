import { defined } from '../../lib/defined.ts'
import type { FetchFact } from '../../model/fetch.ts'
import type { Observed } from '../../model/observed.ts'
import type { FetchPlan, FetchPlanJob, FetchSupply, FetchTotals } from '../../model/plan.ts'
import type { FetchVerdict } from './judge.ts'
import type { JudgedModel } from './judge-host.ts'
import { bytesToFetch, type FileOnHost } from './state.ts'

/** One model as it appears in a plan. */
export function fetchPlan({ about: { model, fact, disk }, verdict }: JudgedModel): FetchPlan {
  const { path, services, source } = model
  const { state, files, commit, problem } = verdict
  const job = jobOn(fact)
  return {
    model: path,
    services,
    hub: source.hub,
    repo: source.repo,
    revision: source.revision,
    commit,
    state,
    ...(files.length === 0 ? {} : { files: totalsOf(files) }),
    ...suppliesOf(verdict),
    ...(disk?.known === true ? { free_bytes: disk.value.freeBytes } : {}),
    ...defined({ job, problem }),
  }
}

/** The last job for a model on its host; undefined: none, or unknown. */
export function jobOn(fact: Observed<FetchFact>): FetchPlanJob | undefined {
  const job = fact.known ? fact.value.job : null
  if (job === null) return undefined
  const { state, alive, commit, reason, runId } = job
  return { state, alive, commit, ...defined({ reason, run_id: runId }) }
}

/** Grouped by the host that is the first choice for a file. */
export function suppliesOf({ files, suppliers }: Pick<FetchVerdict, 'files' | 'suppliers'>): {
  readonly from?: readonly FetchSupply[]
} {
  const first = files.flatMap((file) => {
    const host = suppliers?.get(file.path)?.[0]?.host
    return host === undefined ? [] : [{ host, bytes: file.bytes - file.have }]
  })
  if (first.length === 0) return {}
  const byHost = Map.groupBy(first, ({ host }) => host)
  return {
    from: [...byHost].map(([host, own]) => ({ host, files: own.length, bytes: own.reduce((sum, { bytes }) => sum + bytes, 0) })),
  }
}

function totalsOf(files: readonly FileOnHost[]): FetchTotals {
  const count = (wanted: FileOnHost['state']) => files.filter(({ state }) => state === wanted).length
  return {
    count: files.length,
    complete: count('complete'),
    unverified: count('unverified'),
    other: count('other'),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    bytes_to_fetch: bytesToFetch(files),
  }
}
