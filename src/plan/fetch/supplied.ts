import type { Problem } from '../../model/plan.ts'
import type { FetchCase, FetchVerdict } from './judge.ts'
import { isComing, type Neighbours, suppliersOf } from './neighbours.ts'

/**
 * Of what is to be fetched, which files other hosts have. Where they may come from nowhere else, and no host has one of them although all could
 * be looked at, nothing is fetched.
 */
export function supplied({ host, model, neighbours }: FetchCase, verdict: FetchVerdict): FetchVerdict {
  const { from = 'auto' } = model.source
  const { order, ...rest } = verdict
  if (order === undefined || from === 'hub') return verdict
  const ordered = from === 'fleet' ? { ...order, fetcher: 'none' as const } : order
  if (neighbours === undefined) return { ...rest, order: ordered }
  const coming = verdict.files.filter(isComing).map((file) => ({ file, suppliers: suppliersOf(host, file, neighbours) }))
  const lacking = coming.find(({ suppliers }) => suppliers.length === 0)
  if (from === 'fleet' && lacking !== undefined && neighbours.unseen.length === 0)
    return { ...rest, state: 'refused', problem: noNeighbour(host, lacking.file.path, neighbours) }
  const had = coming.filter(({ suppliers }) => suppliers.length > 0)
  const suppliers = had.length === 0 ? {} : { suppliers: new Map(had.map((one) => [one.file.path, one.suppliers])) }
  return { ...rest, order: ordered, ...suppliers }
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
