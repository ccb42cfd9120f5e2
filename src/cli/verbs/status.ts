import { managerFor } from '../../managers/index.ts'
import { statusOf, unreachableStatus } from '../../report/status-of.ts'
import { renderStatus, type ServiceStatus } from '../../report/status-text.ts'
import { deliver } from '../deliver.ts'
import { exitCodes } from '../exit-code.ts'
import { withHosts, withOutput, withSelection } from '../options.ts'
import { withRun } from '../run.ts'
import type { Verb } from '../verb.ts'

/** `converge status`: one line per service, read-only. */
export const verb: Verb = {
  configure(command, finish) {
    withOutput(withHosts(withSelection(command))).action((options) =>
      finish((context) =>
        withRun(context, options, async (run) => {
          const { fleet, hosts, selects } = run.open
          const seen = await run.observe(run.open.names, { keep: false, phase: 'gather' })
          await run.stopDisplay()
          const services = hosts.flatMap((host) =>
            host.services.filter(selects).map((service): ServiceStatus => {
              const facts = seen.get(host.name)
              if (facts === undefined || !('salt' in facts)) return unreachableStatus(service, facts)
              return statusOf(service, facts, managerFor(service.manager)?.observe(service, facts, fleet.settings.org))
            }),
          )
          const document = { schema: 'converge/status/v1', services }
          await deliver({ context, flags: options }, { document, text: (paint) => renderStatus(services, paint) })
          return [...seen.values()].every((facts) => 'salt' in facts) ? exitCodes.done : exitCodes.unreachable
        }),
      ),
    )
  },
}
