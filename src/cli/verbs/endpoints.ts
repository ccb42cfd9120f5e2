import { Option } from '@commander-js/extra-typings'
import { exitCodes } from '../../context/exit-code.ts'
import { endpointFormats } from '../../endpoints/formats/index.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import type { EndpointFormatName } from '../../model/names.ts'
import { deliverEndpoints } from '../../run/deliver-endpoints.ts'
import { healthyEndpoints } from '../../run/healthy-endpoints.ts'
import { endpointsOf } from '../../run/inventory-endpoints.ts'
import { openFleet } from '../../run/open-fleet.ts'
import { withRun } from '../../run/run.ts'
import { withDisplay, withHosts, withSelection } from '../options.ts'
import { mustBeUnsharded } from '../unsharded.ts'
import type { Verb } from '../verb.ts'

const names = Object.keys(endpointFormats).filter((name): name is EndpointFormatName => Object.hasOwn(endpointFormats, name))

/** `converge endpoints`: from the inventory alone, or with `--healthy` from what answers; read-only. */
export const verb: Verb = {
  configure(command, finish) {
    const own = command
      .addOption(
        new Option('--format <format>', 'a table, or the file of a client')
          .choices(['text', ...names] as const)
          .default('text' as const),
      )
      .option('--json', 'the same as --format json')
      .option('-o, --out <file>', 'write into a file instead of stdout')
      .option('--with-keys', 'write the keys themselves; only with --out, into a file that only you can read (mode 0600)')
      .option('--healthy', 'ask the hosts, and list only what answers')
      .option('--on <host>', 'for clients on this host: includes servers that only it reaches')
    withDisplay(withHosts(withSelection(own))).action((options) =>
      finish(async (context) => {
        const { json, format, out, withKeys = false, healthy = false, on, ...flags } = options
        const how = { format: json === true ? ('json' as const) : format, out, withKeys }
        mustHaveFile(how)
        mustBeUnsharded(context, 'endpoints', 'A client needs the servers of all hosts in one list.')
        if (!healthy) {
          const open = await openFleet(context, flags)
          await deliverEndpoints(context, open, { ...how, list: endpointsOf(open, { on }) })
          return exitCodes.done
        }
        return withRun(context, flags, async (run) => {
          const { list, exit } = await healthyEndpoints(run, endpointsOf(run.open, { on, unmanaged: true }))
          await deliverEndpoints(context, run.open, { ...how, list })
          return exit
        })
      }),
    )
  },
}

/** @throws ConvergeError `ENDPOINTS.KEYS` */
function mustHaveFile({
  format,
  out,
  withKeys,
}: {
  readonly format: string
  readonly out: string | undefined
  readonly withKeys: boolean
}): void {
  if (!withKeys || (out !== undefined && format !== 'text')) return
  throw new ConvergeError('ENDPOINTS.KEYS', {
    summary: '--with-keys needs a file.',
    why:
      out === undefined
        ? 'Keys are never printed: a terminal or a log would keep them. Nothing was written.'
        : 'The table is for people and contains no keys. Nothing was written.',
    next: [converge(['endpoints', '--format', format === 'text' ? 'litellm' : format, '--with-keys', '--out', out ?? 'FILE'])],
  })
}
