import { managers } from '../../managers/index.ts'
import type { ServiceState } from '../../managers/manager.ts'
import type { HostFacts, Resident } from '../../model/facts.ts'
import type { Host, Service } from '../../model/fleet.ts'
import type { Observed } from '../../model/observed.ts'
import { limitOf } from '../../report/live-status.ts'
import { serverKinds } from '../../servers/index.ts'
import { askedPort } from '../../simulate/asked-port.ts'
import { effectiveHost } from '../../simulate/effective-host.ts'
import { ownPids } from '../../simulate/own-processes.ts'
import { openCase } from '../../simulate/service-case.ts'
import type { OpenView } from '../../transports/open-view.ts'
import { createLiveServer, type LiveServer } from '../../verify/live-server.ts'
import type { Run } from '../run.ts'
import { startedWith } from '../started-with.ts'

/** What the facts of a host say of one of its services. */
export interface Learnt {
  /** As it is wanted now: a temporary state on the host may overrule the inventory. */
  readonly service: Service
  readonly facts: HostFacts
  readonly state: Observed<ServiceState>
  /** Null: it does not run. */
  readonly main: { readonly pid: number; readonly start: string } | null
  readonly processes: readonly Resident[]
  /** Where to ask it; undefined: another process has its port. */
  readonly port: number | undefined
  /** Milliseconds. */
  readonly at: number
}

export function learnService({ open, context }: Run, host: Host, inventory: Service, facts: HostFacts): Learnt {
  const service = effectiveHost(host, facts).services.find(({ name }) => name === inventory.name) ?? inventory
  const residents = facts.residents.known ? facts.residents.value : []
  const pids = ownPids(openCase(open.fleet, host, service, { facts, keys: new Map() }), residents)
  const state = managers[service.manager].observe(service, facts, open.fleet.settings.org)
  return {
    service,
    facts,
    state,
    main: state.known ? state.value.process : null,
    processes: residents.filter(({ pid }) => pids.has(pid)),
    port: askedPort(open.fleet, host, service, facts),
    at: context.clock.now(),
  }
}

/** Equal for the same server: port, process and its start. */
export function serverId({ port, main }: Learnt): string {
  return `${port} ${main?.pid} ${main?.start}`
}

/** A program that took the port of a server that is down must not receive its key, so it is only asked for its health. */
export function liveServerFor(run: Run, host: Host, service: Service, view: OpenView, learnt: Learnt): LiveServer | undefined {
  const { port, main, processes, facts } = learnt
  if (port === undefined) return undefined
  const { kind, name, extraArgs } = service
  if (main === null) return createLiveServer(view, { port, kind, onlyHealth: true, otherKeys: async () => [] })
  const key = run.keys.get(`${host.name}/${name}`)
  const { sleepFlag } = serverKinds[kind].http.requests
  const words = [...extraArgs, ...processes.flatMap(({ argv }) => argv)]
  return createLiveServer(view, {
    port,
    kind,
    ...(key?.known === true ? { key: key.value } : {}),
    otherKeys: () => startedWith(view, { host, service: name, seen: facts }, run.context.signal),
    onlyHealth: sleepFlag !== undefined && words.some((word) => word.split('=', 1)[0] === sleepFlag),
  })
}

const gibibyte = 1024 ** 3

/** Its RAM budget, else the memory of its host. Null: unknown. */
export function memoryLimit({ ramGb }: Service, { facts: { memory } }: Learnt): number | null {
  if (ramGb !== undefined) return ramGb * gibibyte
  return memory.known ? limitOf(memory.value) : null
}

/** Seconds since its start: by the host's own clock, and since the facts by ours. Null: unknown, or it does not run. */
export function upTime({ state, main, processes, at }: Learnt, now: number): number | null {
  if (!state.known || state.value.activity !== 'running') return null
  const process = processes.find(({ pid }) => pid === main?.pid) ?? processes[0]
  if (process?.startedAt === undefined || process.seenAt === undefined) return null
  return Math.max(0, process.seenAt - process.startedAt + Math.round((now - at) / 1000))
}
