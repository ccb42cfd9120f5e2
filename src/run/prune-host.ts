import { takeLock } from '../apply/lock.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import { type PruneOutcome, pruneFiles } from '../fetch/prune-files.ts'
import { stableJson } from '../lib/stable-json.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Problem } from '../model/plan.ts'
import type { PruneItem } from '../model/prune.ts'
import type { RunIdentity } from '../state/run-identity.ts'
import type { ActingRun } from './acting-run.ts'
import { type JudgedHost, judgeHost, type PruneSelection } from './prune-cases.ts'

export interface PruneContext {
  readonly identity: RunIdentity
  readonly selection: PruneSelection
  /** The facts that the shown result is based on, by host. */
  readonly seen: ReadonlyMap<string, HostFacts>
}

/** The result of pruning one host. */
export interface PrunedDownloads {
  /** Items without an outcome were not reached. */
  readonly outcomes: readonly PruneOutcome[]
  /** Why pruning stopped. */
  readonly problem?: Problem
}

/** Removes what was shown and may still be removed. Errors of one host are part of its result. */
export async function pruneHost(run: ActingRun, judged: JudgedHost, pruning: PruneContext): Promise<PrunedDownloads> {
  const outcomes: PruneOutcome[] = []
  if (!('items' in judged) || judged.items.every(({ verdict }) => verdict === 'keep')) return { outcomes }
  try {
    const problem = await underLock(run, judged, pruning, outcomes)
    return problem === undefined ? { outcomes } : { outcomes, problem }
  } catch (error) {
    if (run.context.signal.aborted && !(error instanceof ConvergeError)) return { outcomes }
    return { outcomes, problem: hostBug(judged.host.name, error).toProblem() }
  }
}

/** Judges again under the lock, then removes. */
async function underLock(
  run: ActingRun,
  { host, root, items: shown }: Extract<JudgedHost, { readonly root: string }>,
  { identity, selection, seen }: PruneContext,
  outcomes: PruneOutcome[],
): Promise<Problem | undefined> {
  const { context } = run
  const transport = await run.connections.to(host)
  const { run_id: runId, owner, controller, pid } = identity
  const { clock, signal, force } = context
  const token = context.random(16)
  const lock = await takeLock({ transport, root, owner, controller, pid, runId, token, clock, signal, force })
  try {
    const facts = await run.observeOne(host)
    const again = await judgeHost(run, { host, facts, seen: new Map([...seen, [host.name, facts]]) }, selection, runId)
    if (!('items' in again)) return again.problem
    const due = shown.filter(({ verdict }) => verdict === 'remove')
    outcomes.push(...due.flatMap((item) => staleOutcome(item, again.items)))
    const still = due.filter((item) => outcomes.every((one) => one.item !== item))
    for (const [id, items] of Map.groupBy(still, (item) => item.id)) {
      if (signal.aborted) break
      // oxlint-disable-next-line no-await-in-loop -- one download after another, under one lock
      outcomes.push(...(await pruneFiles(transport, { root, id, items, lock, nonce: context.random(8), force })))
    }
    return undefined
  } finally {
    await lock.release()
  }
}

/** Why an item may no longer be removed; empty: it may. */
function staleOutcome(item: PruneItem, again: readonly PruneItem[]): readonly PruneOutcome[] {
  const now = again.find((one) => isSameItem(one, item))
  if (now === undefined) return [{ item, why: 'it is gone' }]
  if (now.verdict === 'keep') return [{ item, why: now.why }]
  return stableJson(now.entry) === stableJson(item.entry) ? [] : [{ item, why: 'it has changed since it was shown' }]
}

export function isSameItem(one: PruneItem, other: PruneItem): boolean {
  return one.id === other.id && one.kind === other.kind && one.path === other.path
}
