import { Option } from '@commander-js/extra-typings'
import { type ExitCode, exitCodes, worstOf } from '../../context/exit-code.ts'
import { noteBug } from '../../context/report-bug.ts'
import { hostBug } from '../../errors/host-bug.ts'
import { runningVersion } from '../../plan/running-version.ts'
import { overviewOfStatus } from '../../report/overview-of-status.ts'
import { statusOf, unreachableStatus } from '../../report/status-of.ts'
import { renderStatus, type ServiceStatus } from '../../report/status-text.ts'
import { deliver } from '../../run/deliver.ts'
import type { Observation } from '../../run/planning-run.ts'
import { type Run, withRun } from '../../run/run.ts'
import { unseenExit } from '../../run/unseen-exit.ts'
import { effectiveHost } from '../../simulate/effective-host.ts'
import { openCase } from '../../simulate/service-case.ts'
import { withHosts, withReports, withShards } from '../options.ts'
import type { Verb } from '../verb.ts'
import { interval, mustBeWatchable } from '../watch-options.ts'

const defaultMs = 2000

/** `converge status`: one line per service, read-only. */
export const verb: Verb = {
  configure(command, finish) {
    const own = command
      .option('-w, --watch', 'keep looking: a live table on a terminal, elsewhere a line for each change')
      .addOption(
        new Option('--interval <duration>', 'with --watch: time from one look to the next, 1s to 1h (default: 2s)')
          .argParser(interval)
          .implies({ watch: true }),
      )
    withReports(withHosts(withShards(own)), { pages: true }).action((options) =>
      finish(async (context) => {
        const { watch, interval: everyMs = defaultMs, ...flags } = options
        if (watch !== true) return withRun(context, flags, printStatus)
        mustBeWatchable(flags)
        const { watchStatus } = await import('../../run/watch/watch-status.ts')
        return withRun(context, flags, (run) => watchStatus(run, everyMs))
      }),
    )
  },
}

async function printStatus(run: Run): Promise<ExitCode> {
  const { context, open } = run
  const seen = await run.observe(open.hosts, { keep: false, phase: 'gather' })
  await run.stopDisplay()
  const services = statusesOf(run, seen)
  const looked = [...seen].map(([host, facts]) => ('salt' in facts ? { host } : { host, problem: facts }))
  const about = { inventory: open.fleet.path, at: context.now().toISOString(), hosts: looked, services }
  await deliver(run, {
    document: { schema: 'converge/status/v1', services },
    text: (paint) => renderStatus(services, paint),
    overview: (surroundings) => overviewOfStatus(about, surroundings),
  })
  return worstOf([exitCodes.done, ...[...seen.values()].flatMap((facts) => ('salt' in facts ? [] : [unseenExit(facts)]))])
}

function statusesOf({ context, keys, open: { fleet, hosts, selects } }: Run, seen: Observation): readonly ServiceStatus[] {
  return hosts.flatMap((host) => {
    const facts = seen.get(host.name)
    const { services: wanted } = facts !== undefined && 'salt' in facts ? effectiveHost(host, facts) : host
    return wanted.filter(selects).map((service): ServiceStatus => {
      if (facts === undefined || !('salt' in facts)) return unreachableStatus(service, facts)
      try {
        const subject = openCase(fleet, host, service, { facts, keys })
        return statusOf(service, facts, subject.state, runningVersion(subject))
      } catch (error) {
        noteBug(context, error, `${service.name} on ${host.name} is left out because of it; the others follow.`)
        return unreachableStatus(service, hostBug(host.name, error).toProblem())
      }
    })
  })
}
