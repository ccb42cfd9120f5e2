import type { Context } from '../context/context.ts'
import { openSnapshotRun, type SnapshotFlags, type SnapshotSource, snapshotRun } from './facts-snapshot-run.ts'
import type { PlanningRun } from './planning-run.ts'
import { type HostFlags, withRun } from './run.ts'
import { createSecretResolver } from './secret-resolver.ts'

type Flags = HostFlags & SnapshotFlags & Parameters<typeof snapshotRun>[0]

/** Uses the facts of hosts, or of `--facts`. */
export async function withPlanningRun<T>(context: Context, flags: Flags, work: (run: PlanningRun) => Promise<T>): Promise<T> {
  const folder = snapshotRun(flags)
  if (folder === undefined) return withRun(context, flags, work)
  return work(await openSnapshotRun(context, flags, { folder, ...keyAsker(context, flags) }))
}

/** Resolves keys for a facts snapshot if `--run-secret-commands` declares the inventory trusted. */
function keyAsker(context: Context, { runSecretCommands }: SnapshotFlags): Pick<SnapshotSource, 'resolve'> {
  return runSecretCommands === true ? { resolve: createSecretResolver(context, { isClosed: false }) } : {}
}
