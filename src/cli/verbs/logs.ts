import { InvalidArgumentError } from '@commander-js/extra-typings'
import { exitCodes } from '../../context/exit-code.ts'
import { momentMs } from '../../lib/moment.ts'
import type { OpenFleet } from '../../run/open-fleet.ts'
import { withRun } from '../../run/run.ts'
import { showLogs } from '../../run/show-logs.ts'
import { anyDuration } from '../duration.ts'
import { findServices } from '../find-service.ts'
import { groups } from '../option-groups.ts'
import { withHosts, withShards } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge logs SERVICE[@HOST]…`: the logs of servers, read-only. */
export const verb: Verb = {
  configure(command, finish) {
    withHosts(
      withShards(
        command
          .argument('[service[@host]...]', 'services, or globs of their names (default: all selected services)')
          .option('-f, --follow', 'continue with new lines until interrupted')
          .option(
            '-n, --lines <n>',
            'number of lines from the end of each log, or all (default: 100; with --since: all)',
            countOrAll,
          )
          .option('--since <time>', 'only lines since then: 10m (ago), or 2026-12-01T06:00:00Z', sinceOf)
          .option('-t, --timestamps', 'show the time of each line, if the log has it'),
      ),
    )
      .optionsGroup(groups.output)
      .option('--json', 'print one JSON object per line')
      .option('--no-color', 'disable colours (as does NO_COLOR)')
      .option('-q, --quiet', 'hide progress on stderr')
      .action((names, options) =>
        finish((context) =>
          withRun(context, options, async (run) => {
            const chosen = chosenIn(run.open, names)
            if (chosen.length === 0) {
              context.err.writeProse('The selected hosts have no services.\n')
              return exitCodes.done
            }
            const { follow = false, json = false, timestamps = false, lines, since } = options
            return showLogs(run, chosen, {
              follow,
              json,
              timestamps,
              ...(lines === undefined ? {} : { lines }),
              ...(since === undefined ? {} : { since }),
            })
          }),
        ),
      )
  },
}

/** A name may be that of a service in another shard. */
function chosenIn({ hosts, selects, shard }: OpenFleet, names: readonly string[]) {
  const all = findServices(shard?.all ?? hosts, names, selects)
  return shard === undefined ? all : all.filter(({ host }) => hosts.includes(host))
}

function countOrAll(text: string): number | 'all' {
  if (text === 'all') return 'all'
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It has to be a whole number, or all.')
  return Number(text)
}

/** `-SECONDS` from now by the host's clock, `@SECONDS` since 1970. */
function sinceOf(text: string): string {
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? momentMs(text) : Number.NaN
  if (!Number.isNaN(at)) return `@${Math.floor(at / 1000)}`
  try {
    return `-${Math.ceil(anyDuration(text) / 1000)}`
  } catch {
    throw new InvalidArgumentError('It has to be how long ago, as in 10m, or a time, as in 2026-12-01T06:00:00Z.')
  }
}
