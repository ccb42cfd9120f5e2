import { stableJson } from '../lib/stable-json.ts'
import type { FetchOrder, WantedFile } from '../model/fetch.ts'

/** On whose behalf a host fetches. */
export interface Fetcher {
  readonly owner: string
  readonly controller: string
  readonly runId: string
  /** Absolute path on the controller of the inventory with the model. */
  readonly inventory?: string
  /** ISO 8601. */
  readonly startedAt: string
}

/** An order as a host records it, see `job-script.ts`. */
export interface WrittenOrder {
  /** One line per file. */
  readonly files: string
  /** JSON, one line. */
  readonly about: string
  /** A file in the folder of a model while it is incomplete, so that it does not look complete between two files; empty: the model is no folder. */
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
