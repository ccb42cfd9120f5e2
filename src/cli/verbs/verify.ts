import pLimit from 'p-limit'
import { exitCodes } from '../../context/exit-code.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { hostBug } from '../../errors/host-bug.ts'
import type { Host } from '../../model/fleet.ts'
import type { HostReport, RunReport, SmokeResult } from '../../model/report.ts'
import { runResult } from '../../report/run-result.ts'
import { applyExit } from '../../run/apply-exit.ts'
import { conclude } from '../../run/conclude.ts'
import type { Observation } from '../../run/planning-run.ts'
import { proveService } from '../../run/prove-service.ts'
import { type Run, withRun } from '../../run/run.ts'
import { effectiveHost } from '../../simulate/effective-host.ts'
import { newRun } from '../../state/run-identity.ts'
import { withHosts, withReporting, withShards } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge verify`: the smoke tests alone. It asks for one completion of each server, and changes nothing. */
export const verb: Verb = {
  configure(command, finish) {
    withReporting(withHosts(withShards(command))).action((options) =>
      finish((context) =>
        withRun(context, options, async (run) => {
          const { run_id, started } = newRun(context)
          const { hosts: selected } = run.open
          const facts = await run.observe(selected, { keep: true, phase: 'gather' })
          run.emit({ type: 'phase', phase: 'verify', hosts: selected.map(({ name }) => name) })
          const limit = pLimit(options.forks)
          const hosts = await Promise.all(selected.map((host) => limit(() => proveHost(run, host, facts))))
          await run.stopDisplay()
          const unfinished = {
            schema: 'converge/report/v1',
            verb: 'verify',
            run_id,
            started_at: started,
            finished_at: context.now().toISOString(),
            inventory: { path: run.open.fleet.path, digest: run.open.fleet.digest },
            hosts,
          } as const
          const exit = context.signal.aborted ? exitCodes.interrupted : applyExit(unfinished, undefined)
          const report: RunReport = { ...unfinished, exit_code: exit }
          await conclude(run, runResult(report), { verb: 'verify', run_id, exit })
          return exit
        }),
      ),
    )
  },
}

/** One service after another: two completions at once would only slow each other. */
async function proveHost(run: Run, host: Host, observation: Observation): Promise<HostReport> {
  const { name } = host
  const facts = observation.get(name)
  if (facts === undefined) return { host: name, reachable: true, actions: [], smoke: [] }
  if (!('salt' in facts)) return { host: name, reachable: false, problem: facts, actions: [], smoke: [] }
  run.emit({ type: 'host-started', host: name })
  const smoke: SmokeResult[] = []
  try {
    for (const service of effectiveHost(host, facts).services) {
      if (service.state !== 'running' || !run.open.selects(service)) continue
      const result = await proveService(run, { host, service, level: 'smoke', facts, coRunApproved: false })
      run.emit({ type: 'smoke-finished', host: name, result })
      smoke.push(result)
    }
  } catch (error) {
    if (run.context.signal.aborted && !(error instanceof ConvergeError)) throw error
    const problem = hostBug(name, error).toProblem()
    run.emit({ type: 'host-finished', host: name, ok: false, note: problem.summary, problem })
    return { host: name, reachable: true, problem, actions: [], smoke }
  }
  const ok = smoke.every((result) => result.ok)
  run.emit({
    type: 'host-finished',
    host: name,
    ok,
    note: smoke.length === 0 ? 'nothing to test' : ok ? 'works' : 'does not work',
  })
  return { host: name, reachable: true, actions: [], smoke }
}
