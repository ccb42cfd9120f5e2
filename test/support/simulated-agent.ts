import {
  environmentOf,
  labelOf,
  launchAsAgent,
  logPath,
  plistPath,
  programArguments,
} from '../../src/managers/launchd/definition.ts'
import type { RenderInput } from '../../src/managers/manager.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import type { LaunchAgent, LaunchdFact, LaunchdJobs } from '../../src/model/launchd-fact.ts'
import { known, mapObserved } from '../../src/model/observed.ts'
import { pidOf } from './simulated-pid.ts'

/** Stopped, and kept from starting at login. */
export function withAgentIdle(facts: HostFacts, service: Service): HostFacts['launchd'] {
  const idle = changed(facts, (agents) =>
    Object.fromEntries(
      Object.entries(agents).map(([label, agent]) => [label, isOf(service, label) ? { ...agent, ...idleAgent } : agent]),
    ),
  )
  return mapObserved(idle, (one) => {
    const own = Object.keys(one.agents).filter((label) => isOf(service, label))
    return { ...one, disabled: mapObserved(one.disabled, (labels) => [...new Set([...labels, ...own])]) }
  })
}

/** `launchctl disable`, which a label needs not be loaded for. */
export function keptFromLogin(launchd: HostFacts['launchd'], { name }: Service): HostFacts['launchd'] {
  return mapObserved(launchd, (one) => ({
    ...one,
    disabled: mapObserved(one.disabled, (labels) => [...new Set([...labels, `com.example.${name}`])]),
  }))
}

export function withoutAgent(facts: HostFacts, service: Service): HostFacts['launchd'] {
  return changed(facts, (agents) => Object.fromEntries(Object.entries(agents).filter(([label]) => !isOf(service, label))))
}

const idleAgent = { pid: null, lastExit: 0, state: 'not running' } as const

function isOf({ name }: Service, label: string): boolean {
  return label === `com.example.${name}`
}

function changed({ launchd }: HostFacts, change: (agents: LaunchdFact['agents']) => LaunchdFact['agents']): HostFacts['launchd'] {
  return mapObserved(launchd, (one) => ({ ...one, agents: change(one.agents) }))
}

/** Loaded from the file as it is, and running or not; one that does not run is kept from starting at login. */
export function withAgent(facts: HostFacts, input: RenderInput, running: boolean): HostFacts {
  const { service, settings, layout } = input
  const launch = launchAsAgent(input)
  const label = labelOf(service, settings.org)
  const agent: LaunchAgent = {
    label,
    ...(running ? { pid: pidOf(service), lastExit: null, state: 'running' } : idleAgent),
    runs: 1,
    path: plistPath(input),
    arguments: programArguments(input, launch).map(String),
    environment: Object.fromEntries(Object.entries(environmentOf(input, launch)).map(([name, value]) => [name, String(value)])),
    stdoutPath: logPath(service, layout),
    exitTimeoutS: service.stopTimeoutS,
  }
  const loaded = <T extends LaunchdJobs>(one: T): T => ({
    ...one,
    agents: { ...one.agents, [label]: agent },
    disabled: mapObserved(one.disabled, (labels) => [...labels.filter((other) => other !== label), ...(running ? [] : [label])]),
  })
  const { launchd, daemons = known({ agents: {}, disabled: known([]), fileVault: known(false) }) } = facts
  return service.domain === 'system'
    ? { ...facts, daemons: mapObserved(daemons, loaded) }
    : { ...facts, launchd: mapObserved(launchd, loaded) }
}
