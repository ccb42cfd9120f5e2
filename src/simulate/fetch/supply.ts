import { converge } from '../../lib/next-command.ts'
import type { FetchOrder } from '../../model/fetch.ts'
import type { Problem } from '../../model/plan.ts'
import { isComing, type Neighbours, type Supplier, suppliersOf } from './neighbours.ts'
import type { SourcedModel } from './order.ts'
import type { FileOnHost } from './state.ts'

/** What a job must fetch, and what other hosts have of it. */
export interface Supply {
  readonly order: FetchOrder
  /** By the path of a missing file: the hosts that have it, in order of preference; never empty. */
  readonly suppliers?: ReadonlyMap<string, readonly Supplier[]>
}

interface Receiver {
  readonly host: string
  readonly model: SourcedModel
  /** Absent: not checked. */
  readonly neighbours?: Neighbours
}

/**
 * Which files other hosts have. If other hosts are the only allowed source, all of them were observed, and none has a file, that is a problem.
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
      ? 'no other host of the fleet has a model of its repository in the inventory'
      : `none of the other hosts with a model of its repository (${asked.join(', ')}) has it with a verified digest`
  return { ...lacking, why: `On ${host}, ${path} may only come from another host (from: fleet), and ${others}.` }
}

/** For a file that no host supplied completely. */
export function notGiven(host: string, path: string, whys: readonly string[]): Problem {
  const why = whys.length === 0 ? 'no reachable host has it' : whys.join('; ')
  return {
    ...lacking,
    why: `On ${host}, ${path} may only come from another host (from: fleet): ${why}. What has arrived is kept.`,
  }
}

const lacking = {
  code: 'FETCH.NO_NEIGHBOUR',
  summary: 'No other host of the fleet has the file.',
  next: [
    converge(['fetch', '--limit', 'HOST'], { say: 'Fetch it onto one of them first:' }),
    'Or allow the hub:  model.source.from: auto',
  ],
} as const satisfies Partial<Problem>

/** For a source whose files come through this machine, when converge does not wait. */
export function needsController(host: string, services: readonly string[]): Problem {
  return {
    code: 'FETCH.NEEDS_CONTROLLER',
    summary: 'A copy from another host cannot run detached.',
    why: `On ${host}, the model of ${services.join(', ')} comes only from other hosts (from: fleet), through this machine and while converge runs. Nothing was started.`,
    next: [converge(['fetch', '--follow'], { say: 'Wait for it:' }), 'Or allow the hub:  model.source.from: auto'],
  }
}
