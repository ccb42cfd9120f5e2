import { defined } from '../lib/defined.ts'
import { readLastLog } from '../logs/last-log.ts'
import { managers } from '../managers/index.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host, Service } from '../model/fleet.ts'
import { unknown } from '../model/observed.ts'
import type { VerifyLevel } from '../model/playbook.ts'
import type { SmokeResult } from '../model/report.ts'
import { serverKinds } from '../servers/index.ts'
import { initialState } from '../simulate/initial-state.ts'
import { openCase } from '../simulate/service-case.ts'
import { judgeCoRun } from '../verify/co-run.ts'
import { askLife } from '../verify/life-sign.ts'
import { judgePortOwner } from '../verify/port-owner.ts'
import { smokeTest } from '../verify/smoke.ts'
import type { SpeedLimit } from '../verify/smoke-deps.ts'
import type { Run } from './run.ts'

export interface Proof {
  readonly host: Host
  readonly service: Service
  readonly level: Exclude<VerifyLevel, 'none'>
  /** The last facts of the host; listening ports are checked again. */
  readonly facts: HostFacts
  /** An approval overrules the co-run rule for this service. */
  readonly coRunApproved: boolean
  /** How fast it has to answer; absent: at any speed. */
  readonly speed?: SpeedLimit
}

/** Runs the smoke test of one service. */
export async function proveService(run: Run, { host, service, level, facts, coRunApproved, speed }: Proof): Promise<SmokeResult> {
  const transport = await run.connections.to(host)
  const key = run.keys.get(`${host.name}/${service.name}`)
  const { settings } = run.open.fleet
  const supervisor = managers[service.manager].supervisor(service, facts, settings.org)
  const look = () => run.observeOne(host, { about: 'servers' })
  const { signal } = run.context
  return smokeTest(service, serverKinds[service.kind].smoke(service), {
    transport,
    level,
    clock: run.context.clock,
    signal,
    ...defined({ speed }),
    ...(key?.known === true ? { key: key.value } : {}),
    ...(key?.known === false ? { keyProblem: key.detail ?? key.because } : {}),
    note: (note) => run.emit({ type: 'smoke-progress', host: host.name, service: service.name, note }),
    coRun: () => {
      const view = async () => {
        const seen = await look()
        const cases = host.services.map((one) => openCase(run.open.fleet, host, one, { facts: seen, keys: run.keys }))
        const own = cases.find((one) => one.service.name === service.name)?.state ?? unknown('not-gathered')
        return { own, ...initialState(seen, cases) }
      }
      return judgeCoRun(service, view, { settings, consented: coRunApproved })
    },
    alive: async () =>
      supervisor === undefined
        ? { state: 'unknown', detail: 'its supervisor was not found' }
        : askLife(transport, supervisor, signal),
    lastLog: async () => (supervisor === undefined ? '' : readLastLog(transport, supervisor, signal)),
    portOwner: async () => {
      const seen = await look()
      const state = managers[service.manager].observe(service, seen, settings.org)
      return judgePortOwner(service, seen, state.known ? state.value.process : null)
    },
    ...(settings.client === undefined || run.open.isClosed === true ? {} : { reload: settings.client.reload }),
  })
}
