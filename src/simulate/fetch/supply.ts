import { converge } from '../../lib/next-command.ts'
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
  const missing = coming.find(({ suppliers }) => suppliers.length === 0)
  if (from === 'fleet' && missing !== undefined && neighbours.unseen.length === 0)
    return noNeighbour(host, missing.file.path, neighbours)
  const had = coming.filter(({ suppliers }) => suppliers.length > 0)
  return { order, ...(had.length === 0 ? {} : { suppliers: new Map(had.map((one) => [one.file.path, one.suppliers])) }) }
}

function noNeighbour(host: string, path: string, { seen }: Neighbours): Problem {
  const asked = [...new Set(seen.map((one) => one.host))]
  const others =
    asked.length === 0
      ? 'no other host of the fleet wants a model of its repository'
      : `none of the others that want a model of its repository (${asked.join(', ')}) has it, with a digest that was taken there`
  return { ...lacking, why: `On ${host}, ${path} may come from another host alone (from: fleet), and ${others}.` }
}

/** Of a file that no host gave, or not all of it. */
export function notGiven(host: string, path: string, whys: readonly string[]): Problem {
  const why = whys.length === 0 ? 'no host that could be looked at has it' : whys.join('; ')
  return {
    ...lacking,
    why: `On ${host}, ${path} may come from another host alone (from: fleet): ${why}. What has arrived is kept.`,
  }
}

const lacking = {
  code: 'FETCH.NO_NEIGHBOUR',
  summary: 'No other host of the fleet has the file.',
  next: [
    converge(['fetch', '--limit', 'HOST'], { say: 'Fetch it onto one of them first:' }),
    'Or let the hub be asked:  model.source.from: auto',
  ],
} as const satisfies Partial<Problem>

/** Of a source whose files come through this machine, which will not stay for that. */
export function needsController(host: string, services: readonly string[]): Problem {
  return {
    code: 'FETCH.NEEDS_CONTROLLER',
    summary: 'A copy from another host cannot run detached.',
    why: `On ${host}, the model of ${services.join(', ')} comes from other hosts alone (from: fleet), through this machine and as long as converge runs. Nothing was begun.`,
    next: [converge(['fetch', '--follow'], { say: 'Stay for it:' }), 'Or let the hub be asked:  model.source.from: auto'],
  }
}
