import { Argument, type Command, type OptionValues } from '@commander-js/extra-typings'
import { withHosts, withNotify, withReports, withSelection } from './options.ts'
import type { HostFlags } from './run.ts'

export interface FetchFlags extends HostFlags {
  readonly follow?: true | undefined
  readonly detach?: true | undefined
  readonly check?: true | undefined
}

/** What `converge fetch` takes. Nothing here leads to what acts: `converge schedule` reads a command line with it. */
export function withFetchOptions<O extends OptionValues>(command: Command<[], O>) {
  return withReports(withNotify(withHosts(withSelection(command))))
    .addArgument(
      new Argument('[what]', 'status: how far it is; stop: stop it, and keep what has arrived; log: what happened').choices([
        'status',
        'stop',
        'log',
      ] as const),
    )
    .option('--follow', 'show progress until all is there (the default on a terminal)')
    .option('--detach', 'return once the downloads have begun')
    .option('--check', 'fetch nothing; 2 where something would be fetched')
}
