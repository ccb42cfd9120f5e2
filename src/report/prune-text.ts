import { binaryBytes } from '../lib/binary-bytes.ts'
import type { Problem } from '../model/plan.ts'
import type { PruneItem } from '../model/prune.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint } from './paint.ts'
import { whyText } from './why-text.ts'

/** What `converge prune --json` prints. */
export interface PruneDocument {
  readonly schema: 'converge/prune/v1'
  /** In the inventory's order. */
  readonly hosts: readonly PrunedHost[]
}

export interface PrunedHost {
  readonly host: string
  /** Why the host is unreachable, or why the removal stopped. */
  readonly problem?: Problem
  /** Bytes that are removed, or would be with `--check`. */
  readonly bytes: number
  readonly items: readonly PrunedItem[]
}

export interface PrunedItem extends Pick<PruneItem, 'model' | 'services' | 'kind' | 'path' | 'bytes' | 'why'> {
  /** `failed`: the removal failed, and the item is still there. */
  readonly state: 'to-remove' | 'removed' | 'kept' | 'failed'
}

const marks = {
  'to-remove': ['yellow', '-'],
  removed: ['green', '✓'],
  kept: ['cyan', '='],
  failed: ['red', '✗'],
} as const satisfies Record<PrunedItem['state'], readonly [string, string]>

/** More items of one model with one reason are counted. */
const mostNamed = 12

/** For each host the removed and the kept items, each with its reason. */
export function renderPrune({ hosts }: Omit<PruneDocument, 'schema'>, paint: Paint): string {
  const blocks = hosts.filter(({ items, problem }) => items.length > 0 || problem !== undefined)
  if (blocks.length === 0) return 'These hosts have no record of a model that converge fetched.\n'
  return `${blocks.map((host) => hostBlock(host, paint)).join('\n')}\n${totalWords(hosts)}\n`
}

function hostBlock({ host, items, problem }: PrunedHost, paint: Paint): string {
  const groups = Map.groupBy(items, ({ state, model, why }) => `${state}\n${model}\n${why}`)
  const rows = [...groups.values()].flatMap((group) => groupRows(group, paint))
  const trouble =
    problem === undefined
      ? []
      : [
          indent(`${paint(['red'], problem.code)}  ${whyText(problem.why)}`),
          ...problem.next.map((one) => `    next: ${paint.hang}${nextText(one, paint)}`),
        ]
  return `${[paint(['bold'], host), ...rows, ...trouble].join('\n')}\n`
}

function groupRows(group: readonly PrunedItem[], paint: Paint): readonly string[] {
  const rows = group.slice(0, mostNamed).map((item) => itemRow(item, paint))
  const rest = group.slice(mostNamed)
  if (rest.length === 0) return rows
  return [...rows, `    and ${rest.length} more of ${rest[0]?.model}, ${binaryBytes(sumOf(rest))}`]
}

function itemRow({ state, kind, path, bytes, why, services }: PrunedItem, paint: Paint): string {
  const [colour, mark] = marks[state]
  const size = kind === 'record' ? 'record of a download' : binaryBytes(bytes)
  const whose = services.length === 0 ? '' : `  (for ${services.join(', ')})`
  return `  ${paint([colour], mark)} ${paint.hang}${path}  ${size}${whose}: ${why}`
}

function totalWords(hosts: readonly PrunedHost[]): string {
  const items = hosts.flatMap((host) => host.items)
  const removed = items.filter(({ state }) => state === 'removed')
  const due = items.filter(({ state }) => state === 'to-remove')
  const failed = items.filter(({ state }) => state === 'failed')
  if (removed.length + failed.length > 0) return `${countOf(removed)} removed, ${binaryBytes(sumOf(removed))} freed.`
  if (due.length === 0) return 'Nothing to remove.'
  return `${countOf(due)} to remove, ${binaryBytes(sumOf(due))} to free.`
}

function countOf(items: readonly PrunedItem[]): string {
  return items.length === 1 ? 'One item' : `${items.length} items`
}

/** Bytes. */
function sumOf(items: readonly PrunedItem[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0)
}
