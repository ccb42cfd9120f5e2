import { assertNever } from '../errors/assert-never.ts'
import { managerFor } from '../managers/index.ts'
import { labelOf, logPath } from '../managers/launchd/definition.ts'
import type { HostFacts } from '../model/facts.ts'
import type { FleetSettings, Host, Service } from '../model/fleet.ts'
import { unknown } from '../model/observed.ts'
import type { VerifyLevel } from '../model/playbook.ts'
import type { SmokeResult } from '../model/report.ts'
import { initialState } from '../plan/initial-state.ts'
import { openCase } from '../plan/service-case.ts'
import { serverKinds } from '../servers/index.ts'
import { judgeCoRun } from '../verify/co-run.ts'
import { askLife, readLastLog, type ServiceHandle } from '../verify/life-sign.ts'
import { judgePortOwner } from '../verify/port-owner.ts'
import { smokeTest } from '../verify/smoke.ts'
import type { Run } from './run.ts'

export interface Proof {
  readonly host: Host
  readonly service: Service
  readonly level: Exclude<VerifyLevel, 'none'>
  /** What was last seen of the host; who listens is looked at anew. */
  readonly facts: HostFacts
  /** The operator overruled the co-run rule for this service. */
  readonly coRunConsented: boolean
}

/** The smoke test of one service, with everything it needs of the world. */
export async function proveService(run: Run, { host, service, level, facts, coRunConsented }: Proof): Promise<SmokeResult> {
  const transport = await run.connections.to(host.name)
  const key = run.keys.get(`${host.name}/${service.name}`)
  const { settings } = run.open.fleet
  const handle = handleOf(service, facts, settings)
  const look = () => run.observeOne(host)
  const { signal } = run.context
  return smokeTest(service, serverKinds[service.kind].smoke(service), {
    transport,
    level,
    clock: run.context.clock,
    signal,
    ...(key?.known === true ? { key: key.value } : {}),
    ...(key?.known === false ? { keyProblem: key.detail ?? key.because } : {}),
    note: (note) => run.emit({ type: 'smoke-progress', host: host.name, service: service.name, note }),
    coRun: async () => {
      const seen = await look()
      const cases = host.services.map((one) => openCase(run.open.fleet, host, one, { facts: seen, keys: run.keys }))
      const own = cases.find((one) => one.service.name === service.name)
      return judgeCoRun(service, own?.state ?? unknown('not-gathered'), initialState(seen, cases), {
        settings,
        consented: coRunConsented,
      })
    },
    alive: async () =>
      handle === undefined
        ? { state: 'unknown', detail: 'its supervisor could not be found' }
        : askLife(transport, handle, signal),
    lastLog: async () => (handle === undefined ? '' : readLastLog(transport, handle, signal)),
    portOwner: async () => {
      const seen = await look()
      const state = managerFor(service.manager)?.observe(service, seen, settings.org)
      return judgePortOwner(service, seen, state?.known === true ? state.value.process : null)
    },
    ...(settings.client === undefined || run.open.isClosed === true ? {} : { reload: settings.client.reload }),
  })
}

/** Undefined where the supervisor cannot be spoken to: no engine was found, or no home. */
function handleOf(service: Service, facts: HostFacts, { org }: Pick<FleetSettings, 'org'>): ServiceHandle | undefined {
  switch (service.manager) {
    case 'compose': {
      const engine = facts.containers.known ? facts.containers.value.engine : null
      return engine === null ? undefined : { manager: 'compose', docker: engine.path, container: service.name }
    }
    case 'systemd':
      return { manager: 'systemd', unit: `${service.name}.service` }
    case 'launchd':
      return facts.layout.known
        ? { manager: 'launchd', label: labelOf(service, org), log: logPath(service, facts.layout.value) }
        : undefined
    default:
      return assertNever(service.manager)
  }
}
