import { Argument, type Command, Option, type OptionValues } from '@commander-js/extra-typings'
import { ConvergeError } from '../errors/converge-error.ts'
import { converge } from '../lib/next-command.ts'
import type { HostFlags } from '../run/run.ts'
import { withHosts, withNotify, withReports, withShards } from './options.ts'

export interface FetchFlags extends HostFlags {
  readonly follow?: true | undefined
  readonly detach?: true | undefined
  readonly check?: true | undefined
}

/** What `converge fetch` takes. Nothing here leads to what acts: `converge schedule` reads a command line with it. */
export function withFetchOptions<O extends OptionValues>(command: Command<[], O>) {
  const own = command
    .addArgument(
      new Argument('[what]', 'status: show progress; stop: stop downloads, and keep what has arrived; log: show the log').choices(
        ['status', 'stop', 'log'] as const,
      ),
    )
    .addOption(
      new Option('--follow', 'show progress until the downloads are complete (default on a terminal)').conflicts('check'),
    )
    .addOption(new Option('--detach', 'return once the downloads have started').conflicts(['follow', 'check']))
    .option('--check', 'download nothing; exit with 2 if a download is needed')
  return withReports(withNotify(withHosts(withShards(own))))
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
