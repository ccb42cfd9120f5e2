import { realpath } from 'node:fs/promises'
import { hostname } from 'node:os'
import { ConvergeError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import { lookAtRecords, lookForReferences } from '../fetch/look-at-records.ts'
import { defined } from '../lib/defined.ts'
import { globMatches } from '../lib/glob.ts'
import { converge } from '../lib/next-command.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host } from '../model/fleet.ts'
import type { Problem } from '../model/plan.ts'
import type { PruneItem } from '../model/prune.ts'
import { elsewhereOf } from '../plan/prune/elsewhere.ts'
import { judgeRecords, type PruneCase } from '../plan/prune/judge.ts'
import { referenceQuestion } from '../plan/prune/question.ts'
import type { Run } from './run.ts'

/** What may be removed from one host and what stays, or why that is unknown. */
export type JudgedHost =
  | { readonly host: Host; readonly facts: HostFacts; readonly root: string; readonly items: readonly PruneItem[] }
  | { readonly host: Host; readonly problem: Problem }

export interface PruneSelection {
  /** Globs over the services that files were fetched for; absent: all. */
  readonly services?: readonly string[] | undefined
  readonly here: PruneCase['here']
}

/** The identity of this controller, as `converge fetch` records it on hosts. */
export async function pruningFrom(run: Run): Promise<PruneCase['here']> {
  return { controller: hostname(), inventory: await realpath(run.open.fleet.path) }
}

/** Judges all selected hosts. Keeps connections open. */
export async function judgeHosts(run: Run, selection: PruneSelection): Promise<readonly JudgedHost[]> {
  const seen = await run.observe(run.open.hosts, { keep: true, phase: 'gather' })
  const facts = new Map([...seen].flatMap(([name, one]) => ('salt' in one ? [[name, one] as const] : [])))
  return Promise.all(
    run.open.hosts.map(async (host): Promise<JudgedHost> => {
      const own = seen.get(host.name)
      if (own === undefined || !('salt' in own)) return { host, problem: own ?? notRead(host, 'its facts were not gathered') }
      try {
        return await judgeHost(run, { host, facts: own, seen: facts }, selection)
      } catch (error) {
        if (run.context.signal.aborted && !(error instanceof ConvergeError)) throw error
        return { host, problem: hostBug(host.name, error).toProblem() }
      }
    }),
  )
}

interface ObservedHost {
  readonly host: Host
  readonly facts: HostFacts
  /** The facts of all observed hosts. */
  readonly seen: ReadonlyMap<string, HostFacts>
}

/** @param runId of this run, if it holds the lock of the host */
export async function judgeHost(
  run: Run,
  { host, facts, seen }: ObservedHost,
  selection: PruneSelection,
  runId?: string,
): Promise<JudgedHost> {
  const { layout } = facts
  if (!layout.known) return { host, problem: notRead(host, layout.detail ?? layout.because) }
  const { root } = layout.value
  const view = await run.connections.to(host)
  const { signal } = run.context
  const records = await lookAtRecords(view, root, signal)
  if (!records.known) return { host, problem: notRead(host, records.detail ?? records.because) }
  if (records.value.length === 0) return { host, facts, root, items: [] }
  const question = referenceQuestion(host, facts, layout.value, records.value)
  const references = await lookForReferences(view, layout.value, question, signal)
  const { services, here } = selection
  const items = judgeRecords({
    host,
    facts,
    root,
    records: records.value,
    references,
    elsewhere: elsewhereOf(run.open.fleet, host, seen),
    here,
    ...(services === undefined
      ? {}
      : { selects: (names) => names.some((name) => services.some((glob) => globMatches(glob, name))) }),
    ...defined({ runId }),
  })
  return { host, facts, root, items }
}

function notRead({ name }: Host, why: string): Problem {
  return {
    code: 'FACT.UNKNOWN',
    summary: 'The downloads on the host are unknown.',
    why: `On ${name}: ${why}. Nothing was removed.`,
    next: [converge(['facts', '--limit', name])],
  }
}
