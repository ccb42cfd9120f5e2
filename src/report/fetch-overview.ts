import { binaryBytes } from '../lib/binary-bytes.ts'
import { defined } from '../lib/defined.ts'
import type { FetchedModel } from '../model/fetch-document.ts'
import type { FetchOverview } from '../model/overview.ts'
import type { FetchPlan } from '../model/plan.ts'

/** A model in a plan or a comparison. */
export function plannedFetch({ files, ...one }: FetchPlan): FetchOverview {
  return fetchOverview(one, files === undefined ? undefined : { count: files.count, bytes: files.bytes })
}

/** A model in a document of `converge fetch`. */
export function fetchedModel({ files, ...one }: FetchedModel): FetchOverview {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return fetchOverview(one, files.length === 0 ? undefined : { count: files.length, bytes })
}

function fetchOverview(
  { model, services, repo, state, job, resumed, problem }: Omit<FetchOverview, 'size'>,
  files: { readonly count: number; readonly bytes: number } | undefined,
): FetchOverview {
  return {
    model,
    services,
    repo,
    state,
    ...defined({ job, resumed }),
    ...(files === undefined
      ? {}
      : { size: `${files.count === 1 ? '1 file' : `${files.count} files`}, ${binaryBytes(files.bytes)}` }),
    ...defined({ problem }),
  }
}
