import { ownMember } from '../../lib/own-member.ts'
import type { DefinitionFile, HostFacts, Resident } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { LaunchAgent, LaunchdJobs } from '../../model/launchd-fact.ts'
import type { LaunchdDomain } from '../../model/names.ts'
import { known, mapObserved, type Observed, unknown } from '../../model/observed.ts'
import { askedPlist, labelOf } from './definition.ts'
import { domainOf } from './domain.ts'

export function seenDefinition(
  service: Service,
  facts: HostFacts,
  org: string,
  domain = domainOf(service),
): Observed<DefinitionFile | null> {
  const seen = facts.definitions[askedPlist(service, org, domain)]
  if (seen !== undefined) return seen
  // Facts of a version that did not ask for the property list in the other domain.
  return domain === domainOf(service) ? unknown('not-gathered', 'the probe was not asked for the property list') : known(null)
}

/** The jobs of a domain. Facts of a version that did not ask for daemons have none. */
export function seenJobs(
  { launchd, daemons }: Pick<HostFacts, 'launchd' | 'daemons'>,
  domain: LaunchdDomain,
): Observed<LaunchdJobs> {
  return domain === 'gui' ? launchd : (daemons ?? known({ agents: {}, disabled: known([]) }))
}

/** Of both domains, those whose jobs are known. */
export function allJobs(
  facts: Pick<HostFacts, 'launchd' | 'daemons'>,
): readonly (LaunchAgent & { readonly domain: LaunchdDomain })[] {
  return (['gui', 'system'] as const).flatMap((domain) => {
    const jobs = seenJobs(facts, domain)
    return jobs.known ? Object.values(jobs.value.agents).map((job) => ({ ...job, domain })) : []
  })
}

/** Whether launchd is known not to start a job by itself. */
export function isDisabled(
  { domain, label }: { readonly domain: LaunchdDomain; readonly label: string },
  facts: HostFacts,
): boolean {
  const jobs = seenJobs(facts, domain)
  return jobs.known && jobs.value.disabled.known && jobs.value.disabled.value.includes(label)
}

/** Null: not loaded. */
export function seenAgent(
  service: Service,
  facts: HostFacts,
  org: string,
  domain = domainOf(service),
): Observed<LaunchAgent | null> {
  return mapObserved(seenJobs(facts, domain), ({ agents }) => ownMember(agents, labelOf(service, org)) ?? null)
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
