import { Argument, type Command, Option, type OptionValues } from '@commander-js/extra-typings'
import { ConvergeError } from '../errors/converge-error.ts'
import { converge } from '../lib/next-command.ts'
import type { HostFlags } from '../run/run.ts'
import { withHosts, withNotify, withReports, withSelection } from './options.ts'

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
    .addOption(new Option('--follow', 'show progress until all is there (the default on a terminal)').conflicts('check'))
    .addOption(new Option('--detach', 'return once the downloads have begun').conflicts(['follow', 'check']))
    .option('--check', 'fetch nothing; 2 where something would be fetched')
}

/** @throws ConvergeError for an option without effect: a user may rely on it */
export function checkFetchOptions(what: string | undefined, { follow, detach, check }: FetchFlags): void {
  const given = Object.entries({ '--follow': follow, '--detach': detach, '--check': check }).filter(([, on]) => on === true)
  const [first] = given
  if (what === undefined || first === undefined) return
  throw new ConvergeError('USAGE.COMMAND', {
    summary: `\`converge fetch ${what}\` takes no ${first[0]}.`,
    why: `${first[0]} applies to a download that is about to start; \`${what}\` starts none. Nothing was done.`,
    next: [converge(['fetch', what])],
  })
}
