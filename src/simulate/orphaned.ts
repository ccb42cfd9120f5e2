import { ownMember } from '../lib/own-member.ts'
import { ownershipLabelKey } from '../managers/compose/project.ts'
import { ownershipLabelOf } from '../managers/ownership-label.ts'
import type { Container, HostFacts, Listener, Resident } from '../model/facts.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import { mayPublish, publishedPorts } from './own-processes.ts'

/** A service that converge put on the host for this fleet and that the inventory does not name any more. */
export interface OrphanedService {
  readonly service: string
  /** What is there of it. */
  readonly evidence: string
  readonly container?: Container
  readonly unit?: string
  /** Of an agent that runs. */
  readonly pid?: number
}

/** Told by the mark of a container, a unit or an agent, or by one of these together with the host's record of what was applied. */
export function orphanedServices(fleet: Fleet, host: Host, facts: HostFacts): readonly OrphanedService[] {
  const named = new Set(host.services.map((service) => service.name))
  const units = [...recorded(fleet, facts), ...marked(fleet, facts)]
  const found = [...labelled(fleet, facts), ...units.filter(isFirst), ...agents(fleet, facts)]
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

function labelled({ settings }: Fleet, { containers }: HostFacts): readonly OrphanedService[] {
  if (!containers.known) return []
  const prefix = ownershipLabelOf(settings.org, '')
  return containers.value.containers.flatMap((container) => {
    const mark = container.labels[ownershipLabelKey] ?? ''
    if (!mark.startsWith(prefix)) return []
    const evidence = `container ${container.name} (${container.state}) carries the label ${ownershipLabelKey}: ${mark}`
    return [{ service: mark.slice(prefix.length), evidence, container }]
  })
}

/** Also one whose first apply was never proved, so that there is no record of it. */
function marked({ settings }: Fleet, { systemd }: HostFacts): readonly OrphanedService[] {
  if (!systemd.known) return []
  const prefix = ownershipLabelOf(settings.org, '')
  return Object.entries(systemd.value.units).flatMap(([unit, { mark = '', activeState }]) => {
    const service = mark.slice(prefix.length)
    // A copy under another name would not go away with the service.
    if (!mark.startsWith(prefix) || unit !== `${service}.service`) return []
    return [{ service, unit, evidence: `${unit} (${activeState}) carries the mark ${mark}` }]
  })
}

function recorded({ settings }: Fleet, { applied, systemd }: HostFacts): readonly OrphanedService[] {
  if (!applied.known || !systemd.known) return []
  const { units } = systemd.value
  return Object.values(applied.value).flatMap(({ service, mark, appliedAt }) => {
    const unit = `${service}.service`
    const seen = ownMember(units, unit)
    if (mark !== ownershipLabelOf(settings.org, service) || seen === undefined || seen.loadState === 'not-found') return []
    return [{ service, unit, evidence: `${unit} (${seen.activeState}) is there, and was applied at ${appliedAt}` }]
  })
}

function agents({ settings }: Fleet, { launchd, applied }: HostFacts): readonly OrphanedService[] {
  if (!launchd.known) return []
  const prefix = ownershipLabelOf(settings.org, '')
  const { marked: onDisk = [], agents: loaded, disabled } = launchd.value
  const records = applied.known ? Object.values(applied.value).map(({ mark }) => mark) : []
  const labels = new Set([...onDisk, ...records.filter((mark) => ownMember(loaded, mark) !== undefined)])
  return [...labels].flatMap((label) => {
    if (!label.startsWith(prefix)) return []
    const pid = ownMember(loaded, label)?.pid ?? null
    const atLogin = disabled.known && disabled.value.includes(label) ? '' : ', and starts at every login'
    const whence = onDisk.includes(label) ? 'its property list carries our mark' : 'it was applied from here'
    const what = pid === null ? 'does not run now' : `runs as pid ${pid}`
    return [
      {
        service: label.slice(prefix.length),
        evidence: `the agent ${label} ${what}${atLogin}: ${whence}`,
        ...(pid === null ? {} : { pid }),
      },
    ]
  })
}

function isFirst({ service }: OrphanedService, index: number, all: readonly OrphanedService[]): boolean {
  return all.findIndex((one) => one.service === service) === index
}
