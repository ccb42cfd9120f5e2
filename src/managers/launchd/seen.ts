import { ownMember } from '../../lib/own-member.ts'
import type { DefinitionFile, HostFacts, Resident } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { LaunchAgent } from '../../model/launchd-fact.ts'
import { known, type Observed, unknown } from '../../model/observed.ts'
import { askedPlist, labelOf } from './definition.ts'

export function seenDefinition(service: Service, facts: HostFacts, org: string): Observed<DefinitionFile | null> {
  return facts.definitions[askedPlist(service, org)] ?? unknown('not-gathered', 'the probe was not asked for the property list')
}

/** Null: not loaded. */
export function seenAgent(service: Service, { launchd }: HostFacts, org: string): Observed<LaunchAgent | null> {
  return launchd.known ? known(ownMember(launchd.value.agents, labelOf(service, org)) ?? null) : launchd
}

/** The agent's process as the probe saw it; null: none. */
export function seenProcess({ pid }: LaunchAgent, { residents }: HostFacts): Observed<Resident | null> {
  if (pid === null) return known(null)
  if (!residents.known) return residents
  const main = residents.value.find((one) => one.pid === pid)
  return main === undefined
    ? unknown('unreadable', `process ${pid} of the agent is not among the observed model servers`)
    : known(main)
}
