import type { FetchOrder } from '../../model/fetch.ts'
import type { Problem } from '../../model/plan.ts'
import { isComing, type Neighbours, type Supplier, suppliersOf } from './neighbours.ts'
import type { SourcedModel } from './order.ts'
import type { FileOnHost } from './state.ts'

/** What a job is to fetch, and what other hosts have of it. */
export interface Supply {
  readonly order: FetchOrder
  /** By the path of a file that is still to come: the hosts that have it, the first of which is asked first; never none. */
  readonly suppliers?: ReadonlyMap<string, readonly Supplier[]>
}

interface Receiver {
  readonly host: string
  readonly model: SourcedModel
  /** Absent: nobody looked. */
  readonly neighbours?: Neighbours
}

/**
 * Which files other hosts have. Where files may come from nowhere else, and no host has one of them although all could be looked at, that is
 * the answer.
 */
export function supplyOf(
  { host, model, neighbours }: Receiver,
  asked: FetchOrder,
  files: readonly FileOnHost[],
): Supply | Problem {
  const { from = 'auto' } = model.source
  const order = from === 'fleet' ? { ...asked, fetcher: 'none' as const } : asked
  if (from === 'hub' || neighbours === undefined) return { order }
  const coming = files.filter(isComing).map((file) => ({ file, suppliers: suppliersOf(host, file, neighbours) }))
  const lacking = coming.find(({ suppliers }) => suppliers.length === 0)
  if (from === 'fleet' && lacking !== undefined && neighbours.unseen.length === 0)
    return noNeighbour(host, lacking.file.path, neighbours)
  const had = coming.filter(({ suppliers }) => suppliers.length > 0)
  return { order, ...(had.length === 0 ? {} : { suppliers: new Map(had.map((one) => [one.file.path, one.suppliers])) }) }
}

/** Why a file comes from no other host, and what to do. */
export function noNeighbour(host: string, path: string, { seen, unseen }: Pick<Neighbours, 'seen' | 'unseen'>): Problem {
  const asked = [...new Set(seen.map((one) => one.host))]
  const had =
    asked.length === 0
      ? 'no other host of the fleet wants a model of its repository'
      : `${asked.join(', ')} ${asked.length === 1 ? 'does' : 'do'} not have it, or no digest of it was taken there`
  const silent = unseen.map((one) => `${one.host}: ${one.why}`)
  return {
    code: 'FETCH.NO_NEIGHBOUR',
    summary: 'No other host of the fleet has the file.',
    why: `${path} of ${host} may come from another host alone (from: fleet), and ${[had, ...silent].join('; ')}.`,
    next: ['Fetch it onto one of them first:  converge fetch --limit HOST', 'Or let the hub be asked:  model.source.from: auto'],
  }
}
