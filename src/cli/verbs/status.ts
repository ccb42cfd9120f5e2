import { exitCodes, worstOf } from '../../context/exit-code.ts'
import { noteBug } from '../../context/report-bug.ts'
import { hostBug } from '../../errors/host-bug.ts'
import { managers } from '../../managers/index.ts'
import { overviewOfStatus } from '../../report/overview-of-status.ts'
import { statusOf, unreachableStatus } from '../../report/status-of.ts'
import { renderStatus, type ServiceStatus } from '../../report/status-text.ts'
import { deliver } from '../../run/deliver.ts'
import { withRun } from '../../run/run.ts'
import { unseenExit } from '../../run/unseen-exit.ts'
import { effectiveHost } from '../../simulate/effective-host.ts'
import { withHosts, withReports, withSelection } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge status`: one line per service, read-only. */
export const verb: Verb = {
  configure(command, finish) {
    withReports(withHosts(withSelection(command))).action((options) =>
      finish((context) =>
        withRun(context, options, async (run) => {
          const { fleet, hosts, selects } = run.open
          const seen = await run.observe(hosts, { keep: false, phase: 'gather' })
          await run.stopDisplay()
          const services = hosts.flatMap((host) => {
            const facts = seen.get(host.name)
            const { services: wanted } = facts !== undefined && 'salt' in facts ? effectiveHost(host, facts) : host
            return wanted.filter(selects).map((service): ServiceStatus => {
              if (facts === undefined || !('salt' in facts)) return unreachableStatus(service, facts)
              try {
                return statusOf(service, facts, managers[service.manager].observe(service, facts, fleet.settings.org))
              } catch (error) {
                noteBug(context, error, `${service.name} on ${host.name} is left out because of it; the others follow.`)
                return unreachableStatus(service, hostBug(host.name, error).toProblem())
              }
            })
          })
          const document = { schema: 'converge/status/v1', services }
          const looked = [...seen].map(([host, facts]) => ('salt' in facts ? { host } : { host, problem: facts }))
          const about = { inventory: fleet.path, at: context.now().toISOString(), hosts: looked, services }
          await deliver(run, {
            document,
            text: (paint) => renderStatus(services, paint),
            overview: (surroundings) => overviewOfStatus(about, surroundings),
          })
          return worstOf([exitCodes.done, ...[...seen.values()].flatMap((facts) => ('salt' in facts ? [] : [unseenExit(facts)]))])
        }),
      ),
    )
  },
}
