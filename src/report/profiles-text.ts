import { defined } from '../lib/defined.ts'
import { holdsServer } from '../managers/holds-server.ts'
import { managers } from '../managers/index.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Profile, ProfileState } from '../model/fleet.ts'
import type { ActiveOverride } from '../model/operation.ts'
import type { Problem } from '../model/plan.ts'
import { untilWords } from '../policy/override-words.ts'
import { effectiveHost } from '../simulate/effective-host.ts'
import type { Paint } from './paint.ts'
import { renderTable } from './table.ts'

/** A profile of `converge use --json`, and whether it holds. */
export interface ProfileStatus {
  readonly name: string
  /** Whether all services are in its states; null: unknown. */
  readonly holds: boolean | null
  readonly services: readonly ProfileService[]
}

interface ProfileService extends ProfileState {
  /** Null: unknown. */
  readonly is: 'running' | 'stopped' | null
  /** Absent: the inventory decides. */
  readonly override?: ActiveOverride
}

export function profileStatus(
  { name, states }: Profile,
  fleet: Fleet,
  seen: ReadonlyMap<string, HostFacts | Problem>,
): ProfileStatus {
  const services = states.map((state) => serviceOf(state, fleet, seen.get(state.host)))
  const known = services.every(({ is }) => is !== null)
  return { name, holds: services.some(({ is, state }) => is !== null && is !== state) ? false : known ? true : null, services }
}

function serviceOf(wanted: ProfileState, fleet: Fleet, facts: HostFacts | Problem | undefined): ProfileService {
  const host = fleet.hosts.find(({ name }) => name === wanted.host)
  if (host === undefined || facts === undefined || !('salt' in facts)) return { ...wanted, is: null }
  const service = effectiveHost(host, facts).services.find(({ name }) => name === wanted.service)
  const state = service === undefined ? undefined : managers[service.manager].observe(service, facts, fleet.settings.org)
  if (service === undefined || state?.known !== true) return { ...wanted, is: null }
  return { ...wanted, is: holdsServer(state.value) ? 'running' : 'stopped', ...defined({ override: service.override }) }
}

/** One line per profile; a mark for those that hold. */
export function renderProfiles(profiles: readonly ProfileStatus[], paint: Paint): string {
  const head = ['PROFILE', 'HOLDS', 'UNTIL', 'SERVICES'].map((title) => paint(['dim'], title))
  const rows = profiles.map(({ name, holds, services }) => [
    paint(['bold'], name),
    holds === null ? paint(['yellow'], 'unknown') : holds ? paint(['green'], 'yes') : paint(['dim'], 'no'),
    holds === true ? endOf(services) : '-',
    services.map((one) => serviceWords(one)).join(', '),
  ])
  return renderTable(head, rows, paint)
}

/** When the first of its overrides ends. */
function endOf(services: readonly ProfileService[]): string {
  const [first] = services.flatMap(({ override }) => override ?? []).toSorted((a, b) => a.until.localeCompare(b.until))
  return first === undefined ? '-' : untilWords(first).replace('until ', '')
}

function serviceWords({ host, service, state, is }: ProfileService): string {
  return `${service}@${host} ${state}${is === state ? '' : ` (is ${is ?? 'unknown'})`}`
}
