import { ownMember } from '../lib/own-member.ts'
import { isTidying } from '../managers/tidying.ts'
import type { Action } from '../model/action.ts'
import type { MemoryNeed } from '../model/launch.ts'
import { known, mapObserved, type Observed, unknown } from '../model/observed.ts'
import { hasBudget } from '../servers/traits.ts'
import { goesOn } from './goes-on.ts'
import {
  type HostState,
  type SimulatedListener,
  type SimulatedResident,
  type SimulatedService,
  withoutProcesses,
} from './host-state.ts'
import { dueBytes, larger } from './running-need.ts'
import { needOf, type ServiceCase } from './service-case.ts'
import { withoutEnded } from './unsupervised.ts'

/** The host as one action would leave it. */
export function simulate(start: HostState, action: Action, subject: ServiceCase): HostState {
  const { service } = subject
  const before = withoutEnded(start, action.ends, service.port)
  const earlier = ownMember(before.services, service.name) ?? { definition: 'none', running: false, startsAtBoot: false }
  // A paused server resumes with the memory it holds.
  const replaces = action.starts && !goesOn(action, before)
  const ended = action.interrupts || replaces ? withoutProcesses(before, service.name) : before
  const writes = (action.kind === 'install' || action.kind === 'update') && !isTidying(action)
  const begun = replaces ? withProcess(ended, subject) : writes ? withPromise(ended, subject) : ended
  return { ...begun, services: { ...before.services, [service.name]: simulatedService(earlier, action) } }
}

function simulatedService(earlier: SimulatedService, action: Action): SimulatedService {
  const removed = action.kind === 'remove'
  const ends = action.interrupts && !action.starts
  return {
    ...(earlier.wrote === true || changesDefinition(action) ? { wrote: true } : {}),
    definition: definitionAfter(earlier, action),
    running: action.starts || (earlier.running && !ends),
    startsAtBoot: action.starts || (earlier.startsAtBoot && !removed && action.kind !== 'stop'),
  }
}

function changesDefinition(action: Action): boolean {
  return action.kind === 'remove' || ((action.kind === 'install' || action.kind === 'update') && !isTidying(action))
}

function definitionAfter({ definition }: SimulatedService, { kind }: Action): SimulatedService['definition'] {
  if (kind === 'remove') return 'none'
  if (kind === 'adopt') return 'adopted'
  if (kind === 'release') return 'foreign'
  return kind === 'install' || kind === 'update' ? 'ours' : definition
}

/** The supervisor would restart a running server with the new definition: that may need more than the running one. */
function withPromise(state: HostState, subject: ServiceCase): HostState {
  const need = needOf(subject)
  const promised = (one: SimulatedResident): SimulatedResident => {
    if (one.service !== subject.service.name) return one
    // The previous definition no longer counts; what it was started with does.
    if (one.startedBytes !== undefined) {
      const budgetBytes = larger(one.startedBytes, budgetOf(subject))
      return { ...one, budgetBytes, dueBytes: mapObserved(budgetBytes, (bytes) => Math.max(0, bytes - one.ownBytes)) }
    }
    return need.known ? { ...one, dueBytes: larger(one.dueBytes, known(dueBytes(need.value, one))) } : one
  }
  return { ...state, residents: mapObserved(state.residents, (all) => all.map(promised)) }
}

/** Whether a running server may take more in one state of its host than in another. */
export function mayHaveMore(service: string, before: HostState, after: HostState): boolean {
  const [earlier, later] = [before, after].map(({ residents }) =>
    residents.known ? residents.value.find((one) => one.service === service) : undefined,
  )
  if (earlier === undefined || later === undefined) return false
  return isMore(later.dueBytes, earlier.dueBytes) || isMore(later.budgetBytes, earlier.budgetBytes)
}

function isMore(now: Observed<number> | undefined, before: Observed<number> | undefined): boolean {
  if (now?.known !== true || before?.known !== true) return now?.known !== before?.known
  return now.value > before.value
}

function budgetOf({ service }: ServiceCase): Observed<number> {
  return known((service.ramGb ?? 0) * 1024 ** 3)
}

function withProcess(state: HostState, subject: ServiceCase): HostState {
  const { service } = subject
  const need = needOf(subject)
  const resident: SimulatedResident = {
    service: service.name,
    kind: service.kind,
    description: 'started by this plan',
    port: service.port,
    startsAtBoot: true,
    rssBytes: need.known ? need.value.hardBytes + need.value.softBytes : 0,
    ownBytes: need.known ? need.value.hardBytes : 0,
    mappedBytes: need.known ? need.value.softBytes : 0,
    dueBytes: known(0),
    ...(hasBudget(service.kind) ? { budgetBytes: budgetOf(subject), startedBytes: budgetOf(subject) } : {}),
  }
  const listener: SimulatedListener = {
    service: service.name,
    address: service.bind,
    port: service.port,
    pid: unknown('not-gathered', 'it has not been started'),
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
