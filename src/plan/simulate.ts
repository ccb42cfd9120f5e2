import { ownMember } from '../lib/own-member.ts'
import type { Action } from '../model/action.ts'
import type { MemoryNeed } from '../model/launch.ts'
import { known, mapObserved, type Observed, unknown } from '../model/observed.ts'
import {
  type HostState,
  type SimulatedListener,
  type SimulatedResident,
  type SimulatedService,
  withoutProcesses,
} from './host-state.ts'
import { needOf, type ServiceCase } from './service-case.ts'

/** The host as one action would leave it. */
export function simulate(before: HostState, action: Action, subject: ServiceCase): HostState {
  const { service } = subject
  const earlier = ownMember(before.services, service.name) ?? { definition: 'none', running: false, startsAtBoot: false }
  const ended = action.interrupts || action.starts ? withoutProcesses(before, service.name) : before
  const begun = action.starts ? withProcess(ended, subject) : ended
  return { ...begun, services: { ...before.services, [service.name]: simulatedService(earlier, action) } }
}

function simulatedService(earlier: SimulatedService, action: Action): SimulatedService {
  const wrote = action.kind === 'install' || action.kind === 'update'
  const removed = action.kind === 'remove'
  const ends = action.interrupts && !action.starts
  return {
    definition: removed ? 'none' : wrote ? 'ours' : earlier.definition,
    running: action.starts || (earlier.running && !ends),
    startsAtBoot: action.starts || (earlier.startsAtBoot && !removed && action.kind !== 'stop'),
  }
}

function withProcess(state: HostState, subject: ServiceCase): HostState {
  const { service } = subject
  const need = needOf(subject)
  const resident: SimulatedResident = {
    service: service.name,
    kind: service.kind,
    description: 'as this plan starts it',
    port: service.port,
    startsAtBoot: true,
    rssBytes: need.known ? need.value.hardBytes + need.value.softBytes : 0,
    ownBytes: need.known ? need.value.hardBytes : 0,
    mappedBytes: need.known ? need.value.softBytes : 0,
  }
  const listener: SimulatedListener = {
    service: service.name,
    address: service.bind,
    port: service.port,
    pid: unknown('not-gathered', 'it is not started yet'),
  }
  return {
    ...state,
    ramAvailableBytes: lessNeed(state.ramAvailableBytes, need),
    residents: mapObserved(state.residents, (all) => [...all, resident]),
    listeners: mapObserved(state.listeners, (all) => [...all, listener]),
  }
}

function lessNeed(available: Observed<number>, need: Observed<MemoryNeed>): Observed<number> {
  if (!available.known) return available
  return need.known ? known(available.value - need.value.hardBytes) : need
}
