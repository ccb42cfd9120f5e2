import { executeGroup } from '../../src/apply/execute-group.ts'
import { questionFor } from '../../src/facts/question.ts'
import { gatherFacts } from '../../src/gather/gather.ts'
import { managers } from '../../src/managers/index.ts'
import type { RenderInput, ServiceState } from '../../src/managers/manager.ts'
import type { Action, ActionKind, FieldChange } from '../../src/model/action.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import { known, type Observed, unknown } from '../../src/model/observed.ts'
import type { ActionResult } from '../../src/model/report.ts'
import { Secret } from '../../src/model/secret.ts'
import { systemClock } from '../../src/time/clock.ts'
import { aFleet, aHost } from '../support/build.ts'
import { shTransport } from '../support/sh-transport.ts'
import { enter } from './enter.ts'
import { type LabHost, mustExec } from './host.ts'

/** The key of a test, and one request with it: the status. */
export const key = 'lab-key-1'
export const ask = (port: number, path: string, bearer = key) =>
  `curl -s -o /dev/null -w %{http_code} -H 'Authorization: Bearer ${bearer}' http://127.0.0.1:${port}${path}`

let count = 0
const nonce = (): string => `n${(count += 1)}`

/** One service on a real host: looked at by the real probe, changed by the real executor, with a manager between them. */
export interface Managed {
  /** A key that was tried meanwhile can be declared refused. */
  look(keyAccepted?: boolean): Promise<Seen>
  /** Each of these looks first. */
  observe(): Promise<ServiceState>
  differences(): Promise<readonly FieldChange[]>
  act(kind: ActionKind, how?: How): Promise<ActionResult>
}

/** One look, for as long as nothing changes the host. */
export interface Seen {
  readonly state: ServiceState
  /** Compares the running server with the desired one. */
  differences(): readonly FieldChange[]
  act(kind: ActionKind, how?: How): Promise<ActionResult>
}

interface How {
  readonly starts?: boolean
  readonly interrupts?: boolean
}

export function managed(host: LabHost, service: Service, itsKey: string): Managed {
  const fleet = aFleet({ hosts: [aHost({ name: host.name, services: [service] })] })
  const manager = managers[service.manager]
  const secret = new Secret(itsKey, 'the test')

  async function gather(keyAccepted: Observed<boolean>): Promise<{ facts: HostFacts; input: RenderInput }> {
    await using transport = await rootShell(host)
    const answer = {
      health: { status: 200, ms: 1 },
      models: keyless,
      props: keyless,
      busy: keyless,
      completed: keyless,
      keyAccepted,
    }
    const question = questionFor(aHost({ name: host.name, services: [service] }), fleet, managers, 'a1b2c3')
    const facts = await gatherFacts({
      host,
      question,
      transport,
      http: async () => known(answer),
      now: () => new Date(),
      timeoutMs: 60_000,
    })
    if (!facts.layout.known) throw new Error(`no layout: ${facts.layout.detail}`)
    return { facts, input: { service, settings: fleet.settings, layout: facts.layout.value, key: secret } }
  }

  async function look(keyAccepted?: boolean): Promise<Seen> {
    const { facts, input } = await gather(keyAccepted === undefined ? keyless : known(keyAccepted))
    const state = valueOf(manager.observe(service, facts, fleet.settings.org))
    return {
      state,
      differences: () => valueOf(manager.compareRunning(input, facts)),
      act: async (kind, how = {}) => {
        const { definitionDigest, process } = state
        const action = actionOf(service, kind, { ...how, relies_on: { definition_digest: definitionDigest, process } })
        await using transport = await rootShell(host)
        const context = { host: host.name, transport, clock: systemClock, nonce, emit: () => undefined }
        return await executeGroup(action, manager.compile(action, input, facts), context)
      },
    }
  }

  return {
    look,
    observe: async () => (await look()).state,
    differences: async () => (await look()).differences(),
    act: async (kind, how) => (await look()).act(kind, how),
  }
}

function valueOf<T>(observed: Observed<T>): T {
  if (!observed.known) throw new Error(`unknown: ${observed.because} ${observed.detail}`)
  return observed.value
}

const keyless = unknown('not-gathered')

/** Past SSH, as root: what is tried here is not the connection. */
async function rootShell(host: LabHost) {
  return shTransport([...(await enter(host.containerId)), 'sh'], host.name)
}

function actionOf(service: Service, kind: ActionKind, how: Partial<Action>): Action {
  return {
    id: `${service.host}/${service.name}/${kind}`,
    host: service.host,
    service: service.name,
    kind,
    manager: service.manager,
    risk: 'safe',
    reason: 'The test wants it.',
    changes: [],
    downtime: 'none',
    interrupts: false,
    starts: false,
    relies_on: {},
    ...how,
  }
}

/** What a command prints. */
export async function said(host: LabHost, command: string): Promise<string> {
  return (await host.exec(command)).stdout.trim()
}

/** Everything of a file that has to come back with it. */
export function lookOf(host: LabHost, path: string): Promise<string> {
  return mustExec(host, `stat -c '%a %u:%g %Y' ${path} && sha256sum <${path}`)
}

/** Changes a definition in place, with its own mode, owner and date, and returns its new state. */
export async function tookOver(host: LabHost, path: string, edit: string): Promise<string> {
  await mustExec(host, `${edit} ${path} && chmod 640 ${path} && chown op:op ${path} && touch -d 2026-01-02T03:04:05Z ${path}`)
  return lookOf(host, path)
}
