import { defined } from '../lib/defined.ts'
import { converge } from '../lib/next-command.ts'
import { ownMember } from '../lib/own-member.ts'
import { labelOf } from '../managers/launchd/definition.ts'
import { domainWords } from '../managers/launchd/domain.ts'
import { allJobs } from '../managers/launchd/seen.ts'
import { ownershipLabelOf } from '../managers/ownership-label.ts'
import { unitName } from '../managers/systemd/definition.ts'
import { hostItself } from '../model/action.ts'
import type { DriftFinding, NotCompared } from '../model/drift.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import type { Unknown } from '../model/observed.ts'
import { refusalOf } from '../policy/refusal-of.ts'
import { factUnknownRule } from '../policy/rules/fact-unknown.ts'
import { factUnknown } from '../policy/words.ts'
import { isServerKind } from '../servers/traits.ts'
import type { SimulatedListener, SimulatedResident } from '../simulate/host-state.ts'
import { initialState } from '../simulate/initial-state.ts'
import { type OrphanedService, orphanedServices } from '../simulate/orphaned.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import { notComparedFor } from './compare-service.ts'

/** What a host has that the inventory does not explain. */
export interface Foreign {
  readonly findings: readonly DriftFinding[]
  readonly notCompared: readonly NotCompared[]
}

/** @param cases all services of the host, selected or not: each explains what belongs to it */
export function foreignOn(fleet: Fleet, host: Host, facts: HostFacts, cases: readonly ServiceCase[]): Foreign {
  const { residents, listeners } = initialState(facts, cases)
  const unmanaged = residents.known ? residents.value.filter(isUnmanaged) : []
  const taken = listeners.known ? listeners.value.filter((one) => one.service === null) : []
  const orphaned = orphanedServices(fleet, host, facts)
  const running = [
    ...unmanaged.map((one) => residentFinding(host, one)),
    ...listenerFindings(host, taken, { unmanaged, residents: residents.known ? residents.value : [] }),
  ]
  // What runs there may belong to a service that could not be observed.
  const unsure = cases.filter(({ state }) => !state.known).map(({ service }) => service.name)
  return {
    findings: [
      ...orphaned.map((one) => leftOver(one, facts)),
      ...(unsure.length === 0 ? running : []),
      ...unexplainedDefinitions(fleet, host, facts, orphaned),
    ],
    notCompared: [
      ...(unsure.length === 0 || running.length === 0 ? [] : [unclear(host, unsure, running)]),
      ...(residents.known ? [] : [unseen(host, 'The processes', residents)]),
      ...(listeners.known ? [] : [unseen(host, 'The list of listening ports', listeners)]),
    ],
  }
}

function isUnmanaged({ service, orphaned }: SimulatedResident): boolean {
  return service === null && orphaned === undefined
}

/** An orphaned service of this fleet. */
function leftOver({ service, evidence, container, unit }: OrphanedService, { applied }: HostFacts): DriftFinding {
  const record = applied.known ? ownMember(applied.value, service) : undefined
  const field = container !== undefined ? 'container' : unit !== undefined ? 'unit' : 'agent'
  return {
    ...foreign(service, field, `${evidence}; the inventory does not name it`),
    recorded: record === undefined ? null : `applied at ${record.appliedAt}`,
  }
}

function residentFinding({ name }: Host, { seen, kind, description, port }: SimulatedResident): DriftFinding {
  const about = foreign(
    hostItself,
    `resident.${seen?.program ?? kind}`,
    `${description}${port === undefined ? '' : `, port ${port}`}`,
  )
  return isServerKind(kind) ? { ...about, note: `to bring it into the inventory: converge adopt ${name}` } : about
}

/** Listeners on the port of a service, and other listeners of the fleet's programs that no other finding reports. */
function listenerFindings(
  { services }: Host,
  taken: readonly SimulatedListener[],
  {
    unmanaged,
    residents,
  }: { readonly unmanaged: readonly SimulatedResident[]; readonly residents: readonly SimulatedResident[] },
): readonly DriftFinding[] {
  const programs = new Set(['llama-server', ...services.flatMap(({ executable }) => executable?.split('/').at(-1) ?? [])])
  const isReported = ({ pid, port }: SimulatedListener) =>
    unmanaged.some((one) => one.port === port) || (pid.known && residents.some((one) => one.seen?.pid === pid.value))
  const unreported = taken.filter((one) => !isReported(one))
  return [...Map.groupBy(unreported, ({ port }) => port)].flatMap(([port, held]) => {
    const owner = services.find((one) => one.port === port && one.state !== 'absent')
    if (owner === undefined && !held.some(({ process = '' }) => programs.has(process))) return []
    return [foreign(owner?.name ?? hostItself, `listener.${port}`, held.map(holder).join('; '))]
  })
}

function holder({ address, port, process, pid }: SimulatedListener): string {
  const name = process ?? 'a process'
  return `${address}:${port} is held by ${name} ${pid.known ? `(pid ${pid.value})` : '(its pid is not visible to this account)'}`
}

/** Agents and units with the prefix or mark of the fleet under a name that no service has. */
function unexplainedDefinitions(
  { settings }: Fleet,
  { services }: Host,
  facts: HostFacts,
  orphaned: readonly OrphanedService[],
): readonly DriftFinding[] {
  const prefix = ownershipLabelOf(settings.org, '')
  const explained = [...services, ...orphaned.map(({ service, unit, label }) => ({ name: service, ...defined({ unit, label }) }))]
  const { systemd } = facts
  const units = systemd.known ? Object.entries(systemd.value.units) : []
  return [
    ...allJobs(facts)
      .filter(({ label }) => label.startsWith(prefix) && !explained.some((one) => labelOf(one, settings.org) === label))
      .map(({ domain, label, path, pid }) =>
        foreign(
          hostItself,
          `${domainWords[domain].job}.${label}`,
          `${path ?? 'loaded'}${pid === null ? ', not running' : `, pid ${pid}`}`,
        ),
      ),
    ...units
      .filter(([unit, { mark = '' }]) => mark.startsWith(prefix) && !explained.some((one) => unitName(one) === unit))
      .map(([unit, { fragmentPath, activeState, mark = '' }]) =>
        foreign(
          hostItself,
          `unit.${unit}`,
          `${fragmentPath} (${activeState}) is marked as written by converge for ${mark}, but no service of the inventory uses this unit`,
        ),
      ),
  ]
}

function foreign(service: string, field: string, actual: string): DriftFinding {
  return { service, field, class: 'foreign', desired: null, recorded: null, actual }
}

function unclear(host: Host, services: readonly string[], running: readonly DriftFinding[]): NotCompared {
  const finding = {
    why: `Something runs on ${host.name} that no known service explains. It may belong to ${services.join(', ')}, whose state is unknown.`,
    evidence: running.map(({ actual }) => actual ?? ''),
    next: [converge(['facts', '--limit', host.name])],
  }
  return notComparedFor(hostItself, refusalOf(factUnknownRule, finding, { host: host.name, actions: [] }))
}

function unseen(host: Host, what: string, observed: Unknown): NotCompared {
  const finding = factUnknown(what, observed, { host: host.name, decision: 'whether something unmanaged runs there' })
  return notComparedFor(hostItself, refusalOf(factUnknownRule, finding, { host: host.name, actions: [] }))
}
