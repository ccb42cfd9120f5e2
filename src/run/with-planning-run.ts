import type { Context } from '../context/context.ts'
import { type Kept, openSnapshotRun, type SnapshotFlags, snapshotRun } from './facts-snapshot-run.ts'
import type { PlanningRun } from './planning-run.ts'
import { type HostFlags, withRun } from './run.ts'
import { createSecretResolver } from './secret-resolver.ts'

type Flags = HostFlags & SnapshotFlags & Parameters<typeof snapshotRun>[0]

/** Looks at hosts, or at what `--facts` has of them. */
export async function withPlanningRun<T>(context: Context, flags: Flags, work: (run: PlanningRun) => Promise<T>): Promise<T> {
  const folder = snapshotRun(flags)
  if (folder === undefined) return withRun(context, flags, work)
  return work(await openSnapshotRun(context, flags, { folder, ...keyAsker(context, flags) }))
}

/** What asks for keys with a facts snapshot, where `--run-secret-commands` says that the inventory is one's own. */
function keyAsker(context: Context, { runSecretCommands }: SnapshotFlags): Pick<Kept, 'resolve'> {
  return runSecretCommands === true ? { resolve: createSecretResolver(context, { isClosed: false }) } : {}
}
