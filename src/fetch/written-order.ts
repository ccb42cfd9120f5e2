import { stableJson } from '../lib/stable-json.ts'
import type { FetchOrder, WantedFile } from '../model/fetch.ts'

/** For whom a host writes down that something is fetched. */
export interface Fetcher {
  readonly owner: string
  readonly controller: string
  readonly runId: string
  /** Absolute, on the controller: the one that wants the model. */
  readonly inventory?: string
  /** ISO 8601. */
  readonly startedAt: string
}

/** What a host writes down of an order, see `job-script.ts`. */
export interface WrittenOrder {
  /** A line for each file. */
  readonly files: string
  /** JSON, one line. */
  readonly about: string
  /** Lies in the folder of a model while files of it are missing, so that none takes it for whole between two of them; empty: it is no folder. */
  readonly marker: string
}

export function writtenOrder(order: FetchOrder, { owner, controller, runId, inventory, startedAt }: Fetcher): WrittenOrder {
  const { repo, commit, model, services, selection } = order
  const isFolder = order.files.every(({ path }) => path.startsWith(`${model}/`))
  return {
    files: order.files.map((file) => `${lineOf(order, file)}\n`).join(''),
    about: stableJson({
      repo,
      commit,
      model,
      services,
      selection,
      run_id: runId,
      owner,
      controller,
      inventory,
      started_at: startedAt,
    }),
    marker: isFolder ? `${model}/converge.part` : '',
  }
}

function lineOf({ hub, repo, commit }: FetchOrder, { name, path, bytes, digest }: WantedFile): string {
  const address = [hub, repo, 'resolve', commit, ...name.split('/').map(encodeURIComponent)].join('/')
  return [bytes, digest.kind, digest.hex, address, path, name].join('\t')
}
