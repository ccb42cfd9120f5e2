import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { asksForShard } from '../inventory/asked-shard.ts'
import { shell } from '../lib/next-command.ts'
import { shellQuote } from '../lib/shell-quote.ts'

/**
 * For a verb that has no `--shard`: each process of several would do it for all hosts.
 *
 * @param because why it has none
 * @throws ConvergeError `USAGE.WHOLE_FLEET` if the environment asks for a shard
 */
export function mustBeUnsharded({ env, argv }: Context, verb: string, because: string): void {
  if (!asksForShard(env)) return
  throw new ConvergeError('USAGE.WHOLE_FLEET', {
    summary: `\`converge ${verb}\` cannot be run in shards. Nothing was done.`,
    why: `CONVERGE_SHARD is ${JSON.stringify(env['CONVERGE_SHARD'])}. ${because}`,
    next: [shell(shellQuote(['env', 'CONVERGE_SHARD=none', 'converge', ...argv]), { say: 'Run it once, for all hosts:' })],
  })
}
