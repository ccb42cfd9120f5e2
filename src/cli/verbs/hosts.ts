import { exitCodes } from '../../context/exit-code.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import { hostsDocument, renderHosts } from '../../report/hosts-text.ts'
import { overviewOfHosts } from '../../report/overview-of-hosts.ts'
import type { Paint } from '../../report/paint.ts'
import { announceShard } from '../../run/announce-shard.ts'
import { deliver } from '../../run/deliver.ts'
import { openReported } from '../../run/open-reported.ts'
import { withReports, withShards } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge hosts [PATTERN]`: one name per line when piped, a table on a terminal. */
export const verb: Verb = {
  configure(command, finish) {
    withReports(withShards(command))
      .argument('[pattern]', 'a host pattern, as for --limit (default: all)')
      .action((pattern, options) =>
        finish(async (context) => {
          const limit = onlyPattern(pattern, options.limit)
          const open = await openReported(context, { ...options, limit })
          announceShard(context, open, options)
          const { hosts, selects, fleet } = open
          const document = hostsDocument(limit ?? 'all', hosts, (host) => host.services.filter(selects).map((one) => one.name))
          const text = (paint: Paint) => renderHosts(document, { paint, table: context.out.isTerminal })
          await deliver(
            { context, flags: options, open },
            {
              document,
              text,
              lines: document.hosts.map((host) => ({ type: 'host', ...host })),
              overview: (surroundings) => overviewOfHosts(document, fleet.path, surroundings),
            },
          )
          return exitCodes.done
        }),
      )
  },
}

/** @throws ConvergeError `USAGE.COMMAND` where two say which hosts */
function onlyPattern(pattern: string | undefined, limit: string | undefined): string | undefined {
  if (pattern === undefined || limit === undefined) return pattern ?? limit
  throw new ConvergeError('USAGE.COMMAND', {
    summary: 'Two patterns select hosts.',
    why: `\`${pattern}\` and \`--limit ${limit}\` are the same option said twice.`,
    next: [converge(['hosts', 'linux:&small'], { say: 'Write one pattern; a term with `&` in front keeps what both select:' })],
  })
}
