import type { DefinitionFile, HostFacts } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { LaunchAgent } from '../../model/launchd-fact.ts'
import { known, mapObserved, type Observed } from '../../model/observed.ts'
import { isAdopted } from '../adopted.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import { labelOf } from './definition.ts'
import { domainOf, type JobName, otherDomain, plistIn } from './domain.ts'
import { seenAgent, seenDefinition, seenJobs } from './seen.ts'

/** What one domain of launchd has of a service. */
export interface Place extends JobName {
  /** Of its property list, whether or not it exists. */
  readonly path: string
  readonly definition: DefinitionFile | null
  /** Null: not loaded. */
  readonly agent: LaunchAgent | null
  readonly disabled: boolean
  /** The domain does not exist now, because no user is logged in at the screen. */
  readonly noSession?: true
}

export interface Places {
  /** Where the service belongs. */
  readonly here: Place
  /** The other domain, if it has something of the service that converge manages: the inventory names another domain now. */
  readonly elsewhere?: Place
}

/** A service to be removed or released is where it is found. */
export function placesOf(service: Service, facts: HostFacts, org: string): Observed<Places> {
  const domain = domainOf(service)
  const here = placeIn(domain, service, facts, org)
  if (!here.known) return here
  const other = placeIn(otherDomain[domain], service, facts, org)
  if (!other.known) return other
  const isOther = isOwn(other.value, service, facts, org)
  if (!isOther) return known({ here: here.value })
  const goes = service.state === 'absent' || service.state === 'unmanaged'
  if (goes && !isOwn(here.value, service, facts, org)) return known({ here: other.value })
  return known({ here: here.value, elsewhere: other.value })
}

function placeIn(domain: Place['domain'], service: Service, facts: HostFacts, org: string): Observed<Place> {
  const definition = seenDefinition(service, facts, org, domain)
  if (!definition.known) return definition
  if (!facts.layout.known) return facts.layout
  const label = labelOf(service, org)
  const file = { domain, label, path: plistIn(domain, facts.layout.value, label), definition: definition.value }
  const agent = seenAgent(service, facts, org, domain)
  const isMissing = !agent.known && agent.because === 'no-session' && domain !== domainOf(service)
  // Without its session there are no agents; the next login starts what is on disk.
  if (isMissing) return known({ ...file, agent: null, disabled: false, noSession: true })
  if (!agent.known) return agent
  const jobs = seenJobs(facts, domain)
  const disabled = jobs.known ? mapObserved(jobs.value.disabled, (labels) => labels.includes(label)) : jobs
  return mapObserved(disabled, (isOff) => ({ ...file, agent: agent.value, disabled: isOff }))
}

/** Whether converge manages what is there: by the label of the file, by the host's record, or by the path of a job whose file is gone. */
function isOwn({ definition, agent, path }: Place, service: Service, facts: HostFacts, org: string): boolean {
  if (definition === null) return agent?.path === path
  return definition.mark === ownershipLabelOf(org, service.name) || isAdopted(service, org, facts, definition)
}

/** Whether a server runs there. */
export function isRunning({ agent }: Place): boolean {
  return agent !== null && agent.pid !== null
}
