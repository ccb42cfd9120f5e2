import type { Context } from '../context/context.ts'
import { type Kept, type KeptFactsFlags, keptFacts, openKeptFactsRun } from './kept-facts-run.ts'
import type { PlanningRun } from './planning-run.ts'
import { type HostFlags, withRun } from './run.ts'
import { createSecretResolver } from './secret-resolver.ts'

type Flags = HostFlags & KeptFactsFlags & Parameters<typeof keptFacts>[0]

/** Looks at hosts, or at what `--facts` has of them. */
export async function withPlanningRun<T>(context: Context, flags: Flags, work: (run: PlanningRun) => Promise<T>): Promise<T> {
  const folder = keptFacts(flags)
  if (folder === undefined) return withRun(context, flags, work)
  return work(await openKeptFactsRun(context, flags, { folder, ...keyAsker(context, flags) }))
}

/** What asks for keys beside kept facts, where `--run-secret-commands` says that the inventory is one's own. */
function keyAsker(context: Context, { runSecretCommands }: KeptFactsFlags): Pick<Kept, 'resolve'> {
  return runSecretCommands === true ? { resolve: createSecretResolver(context, { isClosed: false }) } : {}
}
