import { ownMember } from '../lib/own-member.ts'
import { comesFromFile } from '../managers/compose/names.ts'
import { ownershipLabelKey } from '../managers/compose/project.ts'
import { labelOf } from '../managers/launchd/definition.ts'
import { domainWords } from '../managers/launchd/domain.ts'
import { seenJobs } from '../managers/launchd/seen.ts'
import { ownershipLabelOf } from '../managers/ownership-label.ts'
import { recordedName } from '../managers/recorded-name.ts'
import { unitName } from '../managers/systemd/definition.ts'
import type { Container, HostFacts, Listener, Resident } from '../model/facts.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import type { LaunchdDomain } from '../model/names.ts'
import { mayPublish, publishedPorts } from './own-processes.ts'

/** A service that converge deployed on the host for this fleet and that the inventory no longer has. */
export interface OrphanedService {
  readonly service: string
  /** What exists of it. */
  readonly evidence: string
  readonly container?: Container
  readonly unit?: string
  /** Of a job of launchd. */
  readonly label?: string
  readonly domain?: LaunchdDomain
  /** Of a running job. */
  readonly pid?: number
}

/** Found by the ownership label of a container, a unit or an agent, or by one of these together with the host's record of what was applied. */
export function orphanedServices(fleet: Fleet, host: Host, facts: HostFacts): readonly OrphanedService[] {
  const named = new Set(host.services.map((service) => service.name))
  const units = [...recorded(fleet, facts), ...labelledUnits(fleet, facts)]
  const found = [
    ...labelledContainers(fleet, facts),
    ...adoptedContainers(fleet, facts),
    ...units.filter(isFirst),
    ...jobs(fleet, facts, 'gui'),
    ...jobs(fleet, facts, 'system'),
  ]
  return found.filter(({ service }) => !named.has(service))
}

/** The orphaned service that a resident server belongs to. */
export function orphanedOwner(
  orphaned: readonly OrphanedService[],
  { container, unit, pid }: Resident,
): OrphanedService | undefined {
  return orphaned.find(
    (one) =>
      one.pid === pid ||
      (unit !== undefined && one.unit === unit) ||
      (container !== undefined && container !== '' && one.container?.id.startsWith(container) === true),
  )
}

/** The orphaned service that listens: by its server's pid, or that of the server's parent, else by the port that its container publishes. */
export function orphanedListener(
  orphaned: readonly OrphanedService[],
  listener: Listener,
  residents: readonly Resident[],
): OrphanedService | undefined {
  const pid = listener.pid.known ? listener.pid.value : undefined
  const server = residents.find((one) => one.pid === pid)
  const parent = residents.find((one) => one.pid === server?.ppid)
  const owners = [server, parent].map((one) => (one === undefined ? undefined : orphanedOwner(orphaned, one)))
  const byContainer = ({ container }: OrphanedService) =>
    container !== undefined && publishedPorts(container).includes(listener.port)
  return (
    owners.find((one) => one !== undefined) ??
    orphaned.find((one) => pid !== undefined && one.pid === pid) ??
    (mayPublish(listener) ? orphaned.find(byContainer) : undefined)
  )
}

function labelledContainers({ settings }: Fleet, { containers }: HostFacts): readonly OrphanedService[] {
  if (!containers.known) return []
  const prefix = ownershipLabelOf(settings.org, '')
  return containers.value.containers.flatMap((container) => {
    const ownershipLabel = container.labels[ownershipLabelKey] ?? ''
    if (!ownershipLabel.startsWith(prefix)) return []
    const evidence = `${container.name} (${container.state}) has converge's label ${ownershipLabel}`
    return [{ service: ownershipLabel.slice(prefix.length), evidence, container }]
  })
}

/** A container in a user's own file that was adopted has no label of converge. */
function adoptedContainers({ settings }: Fleet, { applied, containers }: HostFacts): readonly OrphanedService[] {
  if (!applied.known || !containers.known) return []
  return Object.values(applied.value).flatMap((record) => {
    const { service, mark, adopted, appliedAt } = record
    const container = containers.value.containers.find((one) => comesFromFile(one, recordedName(record)))
    if (adopted !== true || mark !== ownershipLabelOf(settings.org, service) || container === undefined) return []
    if (container.labels[ownershipLabelKey] !== undefined) return []
    return [{ service, evidence: `${container.name} (${container.state}) was adopted at ${appliedAt}`, container }]
  })
}

/** Includes units whose first apply was never proven, so that they have no record. */
function labelledUnits({ settings }: Fleet, { systemd }: HostFacts): readonly OrphanedService[] {
  if (!systemd.known) return []
  const prefix = ownershipLabelOf(settings.org, '')
  return Object.entries(systemd.value.units).flatMap(([unit, { mark: ownershipLabel = '', activeState }]) => {
    const service = ownershipLabel.slice(prefix.length)
    // A copy under another name would not be removed with the service.
    if (!ownershipLabel.startsWith(prefix) || unit !== `${service}.service`) return []
    return [{ service, unit, evidence: `${unit} (${activeState}) is marked as written by converge for ${ownershipLabel}` }]
  })
}

function recorded({ settings }: Fleet, { applied, systemd }: HostFacts): readonly OrphanedService[] {
  if (!applied.known || !systemd.known) return []
  const { units } = systemd.value
  return Object.values(applied.value).flatMap((record) => {
    const { service, mark, appliedAt } = record
    const unit = unitName(recordedName(record))
    const seen = ownMember(units, unit)
    if (mark !== ownershipLabelOf(settings.org, service) || seen === undefined || seen.loadState === 'not-found') return []
    return [{ service, unit, evidence: `${unit} (${seen.activeState}) exists, and was applied at ${appliedAt}` }]
  })
}

/** A copy under another name would not be removed with the service: a label of its own counts only if the record has it. */
function jobs({ settings }: Fleet, facts: HostFacts, domain: LaunchdDomain): readonly OrphanedService[] {
  const seen = seenJobs(facts, domain)
  if (!seen.known) return []
  const { applied } = facts
  const prefix = ownershipLabelOf(settings.org, '')
  const { marked = [], markedAs = {}, agents: loaded, disabled } = seen.value
  const { job, start } = domainWords[domain]
  const records = applied.known ? Object.values(applied.value) : []
  const labels = new Map(records.map((record) => [record.mark, labelOf(recordedName(record), settings.org)]))
  const onDisk = [...marked.map((label) => [label, label] as const), ...Object.entries(markedAs)].filter(
    ([label, mark]) => label === (labels.get(mark) ?? mark),
  )
  const applies = [...labels].flatMap(([mark, label]) => (ownMember(loaded, label) === undefined ? [] : [[label, mark] as const]))
  return [...new Map([...onDisk, ...applies])].flatMap(([label, mark]) => {
    if (!mark.startsWith(prefix)) return []
    const pid = ownMember(loaded, label)?.pid ?? null
    const atLogin = disabled.known && disabled.value.includes(label) ? '' : `, and starts at every ${start}`
    const source = onDisk.some(([one]) => one === label)
      ? "its property list has converge's label"
      : 'it was applied by this fleet'
    const what = pid === null ? 'does not run now' : `runs as pid ${pid}`
    return [
      {
        service: mark.slice(prefix.length),
        evidence: `the ${job} ${label} ${what}${atLogin}: ${source}`,
        label,
        domain,
        ...(pid === null ? {} : { pid }),
      },
    ]
  })
}

function isFirst({ service }: OrphanedService, index: number, all: readonly OrphanedService[]): boolean {
  return all.findIndex((one) => one.service === service) === index
}
