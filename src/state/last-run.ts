import { realpath } from 'node:fs/promises'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import type { JournalledRun } from '../journal/journalled-run.ts'
import { converge } from '../lib/next-command.ts'
import type { Fleet } from '../model/fleet.ts'
import type { RunBegun } from '../model/journal.ts'
import { runsOf, runsOfShards } from './journals.ts'
import { noRun } from './resumption.ts'

/** Hosts of the last run of an inventory, for `@failed` and `@unreached`. */
export interface LastRun {
  readonly id: string
  /** `failed`: something failed, is in doubt or was not proved; `unreached`: unreachable, or the run did not get there. */
  readonly hosts: { readonly failed: readonly string[]; readonly unreached: readonly string[] }
}

/** Whether a `--limit` refers to the last run; a file of that name is `@./failed`. */
export function namesLastRun(limit: string): boolean {
  return /(?:^|[\s,:])@(?:failed|unreached)(?=$|[\s,:])/.test(limit)
}

/**
 * The last run of an inventory; of a run in shards, all of its shards with a journal on this machine.
 *
 * @param current the shared id of the present run, whose other shards are no earlier run
 * @throws ConvergeError `RESUME.NO_RUN`
 */
export async function readLastRun(
  context: Pick<Context, 'env' | 'cwd' | 'err'>,
  fleet: Fleet,
  current?: string,
): Promise<LastRun> {
  const runs = await lastRuns(context, await realpath(fleet.path), current)
  const [last] = runs
  if (last === undefined) throw noRun(fleet.path)
  noteShards(context, runs)
  // A host counts as the latest of these runs left it.
  const hosts = new Map(runs.toReversed().flatMap((run) => run.hosts.map(({ host, state }) => [host, state])))
  const known = new Set(fleet.hosts.map(({ name }) => name))
  const gone = [...hosts].flatMap(([host, state]) => (state !== 'finished' && !known.has(host) ? [host] : []))
  if (gone.length > 0)
    context.err.writeProse(
      `The last run did not finish ${gone.join(', ')} either, but the inventory no longer has ${gone.length === 1 ? 'that host' : 'those hosts'}.\n`,
    )
  const those = (category: 'failed' | 'unreached') =>
    [...hosts].flatMap(([host, state]) => (state === category && known.has(host) ? [host] : []))
  const id = last.begun.shard?.run_id ?? last.begun.run_id
  return { id, hosts: { failed: those('failed'), unreached: those('unreached') } }
}

/** Newest first. */
async function lastRuns(
  context: Pick<Context, 'env' | 'cwd' | 'err'>,
  inventory: string,
  current: string | undefined,
): Promise<readonly JournalledRun[]> {
  const isCurrent = ({ shard }: RunBegun) => current !== undefined && shard?.run_id === current
  for await (const run of runsOf(context, inventory, (begun) => !isCurrent(begun))) {
    const id = run.begun.shard?.run_id
    return id === undefined ? [run] : runsOfShards(context, inventory, id)
  }
  return []
}

/** Hosts of shards without a journal here are not known. */
function noteShards({ err }: Pick<Context, 'err'>, runs: readonly JournalledRun[]): void {
  const shard = runs[0]?.begun.shard
  if (shard === undefined) return
  const { index, of, run_id: id } = shard
  if (id === undefined) {
    err.writeProse(`The last run was shard ${index}/${of} alone: shards are known as one run by their --run-id.\n`)
    return
  }
  const seen = new Set(runs.map(({ begun }) => begun.shard?.index))
  const missing = Array.from({ length: of }, (_, at) => at + 1).filter((one) => !seen.has(one))
  if (missing.length === 0) return
  const named = missing.slice(0, 20).map((one) => `${one}/${of}`)
  const more = missing.length > named.length ? ` and ${missing.length - named.length} more` : ''
  err.writeProse(
    `Of run ${id}, this machine has no journal of shard ${named.join(', ')}${more}: what they left is not known here.\n`,
  )
}

/** Replaces the error for an empty host file. */
export function noHostLeft(limit: string, { id }: LastRun): ConvergeError {
  return new ConvergeError('USAGE.NO_HOSTS', {
    summary: 'A host pattern matches no host.',
    why: `The last run of this inventory, ${id}, left no host that \`${limit}\` selects. \`@failed\` selects hosts where the run failed, was not verified, or has an unknown outcome; \`@unreached\` selects hosts that were unreachable or not started.`,
    next: [converge(['hosts'], { say: 'List hosts:' }), 'A file of that name is written `@./failed`.'],
  })
}
