import { defined } from '../lib/defined.ts'
import { ownMember } from '../lib/own-member.ts'
import { holdsServer } from '../managers/holds-server.ts'
import { allJobs, isDisabled } from '../managers/launchd/seen.ts'
import { inContainer } from '../managers/traits.ts'
import type { HostFacts, ModelFiles, Resident } from '../model/facts.ts'
import { mapObserved } from '../model/observed.ts'
import { isServerKind, takesPageCache } from '../servers/traits.ts'
import type { HostState, SimulatedListener, SimulatedResident, SimulatedService } from './host-state.ts'
import { type OrphanedService, orphanedListener, orphanedOwner, orphanedServices } from './orphaned.ts'
import { ownPids, ownsListener, ownsResident } from './own-processes.ts'
import { modelOfProcess, runningNeed } from './running-need.ts'
import type { ServiceCase } from './service-case.ts'
import { wiredMemory } from './wired-memory.ts'

/** The host as observed, before any action. `cases` are all services of the host, selected or not. */
export function initialState(facts: HostFacts, cases: readonly ServiceCase[]): HostState {
  const residents = facts.residents.known ? facts.residents.value : []
  const pids = new Map(cases.map((one) => [one.service.name, ownPids(one, residents)]))
  const ownerOf = (listener: Parameters<typeof ownsListener>[1]) =>
    cases.find((one) => ownsListener(one, listener, pids.get(one.service.name) ?? new Set()))
  const orphaned = cases.slice(0, 1).flatMap(({ fleet, host }) => orphanedServices(fleet, host, facts))
  const servers = mapObserved(facts.residents, (all) => simulatedResidents(all, { cases, facts, orphaned }))
  return {
    ramTotalBytes: mapObserved(facts.memory, (memory) => memory.totalBytes),
    ramAvailableBytes: mapObserved(facts.memory, (memory) => memory.availableBytes),
    residents: servers,
    ...defined({ wired: wiredMemory(facts, servers) }),
    listeners: mapObserved(facts.listeners, (all) =>
      all.map((one): SimulatedListener => {
        const owner = ownerOf(one)
        const lost = owner === undefined ? orphanedListener(orphaned, one, residents)?.service : undefined
        return { ...one, service: owner?.service.name ?? null, ...defined({ orphaned: lost }) }
      }),
    ),
    services: simulatedServices(cases),
  }
}

function simulatedServices(cases: readonly ServiceCase[]): Readonly<Record<string, SimulatedService>> {
  const seen = cases.flatMap(({ service, state }) => {
    if (!state.known) return []
    const { definition, startsAtBoot } = state.value
    return [[service.name, { definition, running: holdsServer(state.value), startsAtBoot }] as const]
  })
  return Object.fromEntries(seen)
}

/** A front and its engine count as one server. */
function simulatedResidents(
  all: readonly Resident[],
  {
    cases,
    facts,
    orphaned,
  }: { readonly cases: readonly ServiceCase[]; readonly facts: HostFacts; readonly orphaned: readonly OrphanedService[] },
): readonly SimulatedResident[] {
  const fronts = all.filter((one) => !hasFront(one, all) && holdsModel(one))
  return fronts.map((front) => {
    const processes = [front, ...all.filter((one) => one.role === 'engine' && one.ppid === front.pid)]
    const owner = cases.find((one) => ownsResident(one, front))
    const lost = owner === undefined ? orphanedOwner(orphaned, front)?.service : undefined
    const held = memoryOf(processes, owner === undefined ? undefined : modelOfProcess(front, facts))
    const owners = owner === undefined ? suspects(front, cases, facts) : [owner]
    return {
      service: owner?.service.name ?? null,
      ...defined({ orphaned: lost }),
      kind: isServerKind(front.role) ? front.role : 'runner',
      seen: { program: front.program, pid: front.pid },
      description: describe(front, all, owner),
      ...defined({ port: front.port }),
      startsAtBoot: owner === undefined ? foreignStartsAtBoot(front, facts) : ownStartsAtBoot(owner),
      rssBytes: total(processes, (one) => one.rssBytes),
      ...held,
      ...runningNeed({ front, held, facts, org: cases[0]?.fleet.settings.org ?? '', owners, orphaned: lost }),
    }
  })
}

/** Services that a server in a container may belong to while containers are unknown. */
function suspects(
  { container, role }: Resident,
  cases: readonly ServiceCase[],
  { containers }: HostFacts,
): readonly ServiceCase[] {
  if (container === undefined || containers.known) return []
  return cases.filter(({ service }) => inContainer(service) && service.kind === role)
}

/** In parentheses unless those of its service enclose it. */
function describe(front: Resident, all: readonly Resident[], owner: ServiceCase | undefined): string {
  const { program, pid, user } = front
  const words = `pid ${pid}${owner === undefined ? parentWords(front, all) : ''}, user ${user}`
  return owner === undefined ? `${program} (${words})` : `${program}, ${words}`
}

/** Helps to stop a foreign server: its parent may start it again. */
function parentWords({ ppid }: Resident, all: readonly Resident[]): string {
  const parent = all.find((one) => one.pid === ppid)
  return `, parent ${parent === undefined ? ppid : `${parent.program} with pid ${ppid}`}`
}

function hasFront(one: Resident, all: readonly Resident[]): boolean {
  return one.role === 'engine' && all.some((other) => isServerKind(other.role) && other.pid === one.ppid)
}

/** A runner that waits for work (Ollama's own daemon) holds no model; the servers it starts do. */
function holdsModel(one: Resident): boolean {
  return (
    one.role !== 'runner' ||
    one.rssBytes >= 1024 ** 3 ||
    one.argv.some((arg) => arg === '--model' || arg === '-m' || arg === 'runner')
  )
}

function ownStartsAtBoot({ state }: ServiceCase): boolean {
  return state.known && state.value.startsAtBoot
}

function foreignStartsAtBoot(one: Resident, facts: HostFacts): boolean {
  const { containers, systemd } = facts
  if (one.container !== undefined && containers.known) {
    const container = containers.value.containers.find((other) => other.id.startsWith(one.container ?? ''))
    return container !== undefined && container.restartPolicy !== 'no' && container.restartPolicy !== ''
  }
  if (one.unit !== undefined && systemd.known) return ownMember(systemd.value.units, one.unit)?.unitFileState === 'enabled'
  // Its label belongs to this fleet, so it is a job like ours: every login or boot starts it unless it is disabled.
  const job = allJobs(facts).find(({ pid }) => pid === one.pid)
  return job !== undefined && !isDisabled(job, facts)
}

/**
 * The own memory of these processes, and what they only map. If the system does not distinguish them: servers that need the page cache map
 * their weights (up to all of their RSS, if the size is unknown) unless a flag disables it; others own all they use.
 */
function memoryOf(
  processes: readonly Resident[],
  model: ModelFiles | undefined,
): Pick<SimulatedResident, 'ownBytes' | 'mappedBytes'> {
  const rss = total(processes, (one) => one.rssBytes)
  if (processes.every((one) => one.anonBytes !== undefined)) {
    const own = Math.min(
      rss,
      total(processes, (one) => one.anonBytes ?? 0),
    )
    return { ownBytes: own, mappedBytes: rss - own }
  }
  const maps =
    processes.some(({ role }) => role !== 'engine' && takesPageCache(role)) && !processes.some((one) => one.argv.some(isCopyFlag))
  const weights = model === undefined ? rss : total(model.files, (file) => file.bytes)
  const mapped = maps ? Math.min(rss, weights) : 0
  return { ownBytes: rss - mapped, mappedBytes: mapped }
}

function isCopyFlag(arg: string): boolean {
  return arg === '--no-mmap' || arg === '--mlock' || arg === 'mlock' || arg === 'mmap+mlock' || arg === 'dio'
}

function total<T>(items: readonly T[], bytes: (item: T) => number): number {
  return items.reduce((sum, item) => sum + bytes(item), 0)
}
