import type { Context } from '../context/context.ts'
import type { Kept, KeptFactsFlags } from './kept-facts-run.ts'
import { createSecretResolver } from './secret-resolver.ts'

/** What asks for keys beside kept facts, where `--run-secret-commands` says that the inventory is one's own. */
export function keyAsker(context: Context, { runSecretCommands }: KeptFactsFlags): Pick<Kept, 'resolve'> {
  return runSecretCommands === true ? { resolve: createSecretResolver(context, { isClosed: false }) } : {}
}
