import { compareFleet } from '../../src/drift/compare-fleet.ts'
import { managers } from '../../src/managers/index.ts'
import { ownershipLabelOf } from '../../src/managers/ownership-label.ts'
import type { AppliedRecord } from '../../src/model/applied-record.ts'
import type { DriftDocument } from '../../src/model/drift.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { DriftIgnore, Fleet, Service } from '../../src/model/fleet.ts'
import { mapObserved } from '../../src/model/observed.ts'
import type { Problem } from '../../src/model/plan.ts'
import { Secret } from '../../src/model/secret.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { digestOfText } from '../../src/simulate/digest.ts'
import { aService, type ServiceOptions } from './build.ts'
import { planInputOf, type Scenario, soundKey } from './scenario.ts'
import { withOverrides } from './scenario-records.ts'

/**
 * Three sides of one host: `services` is what the inventory asks for, `was` is what is on the host, and `recorded` what the host's
 * records say of the last apply, each with what is different there from the inventory. A service that `recorded` does not name was
 * applied as it is on the host; `null`: there is no record of it.
 */
export interface DriftCase extends Scenario {
  readonly recorded?: Readonly<Record<string, (ServiceOptions & RecordOptions) | null>>
  readonly ignore?: readonly Omit<DriftIgnore, 'source'>[]
  /** The host could not be looked at. */
  readonly unreachable?: Problem
}

interface RecordOptions {
  readonly waits?: readonly string[]
  /** In place of what was asked for. */
  readonly wanted?: Readonly<Record<string, unknown>>
  readonly mark?: string
  /** Of another definition than is rendered for it now; `as on the host`: of the one that is there. */
  readonly definitionDigest?: string
}

/** What `converge drift` finds in a case. */
export function driftOf(given: DriftCase): DriftDocument {
  return compareDrift(recordedInputOf(given), given)
}

export function compareDrift(input: PlanInput, { unreachable }: Pick<DriftCase, 'unreachable'> = {}): DriftDocument {
  const { fleet, facts, keys, hubs, now, selection } = input
  const shown = unreachable === undefined ? facts : new Map([...facts.keys()].map((host) => [host, unreachable]))
  const everything = selection.services.includes('*')
  return compareFleet({
    fleet,
    facts: shown,
    keys,
    ...(hubs === undefined ? {} : { hubs }),
    everything,
    selects: (name) => everything || selection.services.includes(name),
    now,
  })
}

/** The planner's input, with the records that the host has. */
export function recordedInputOf(given: DriftCase): PlanInput {
  const input = planInputOf(given)
  const [host] = input.fleet.hosts
  const facts = input.facts.get(host?.name ?? '')
  if (host === undefined || facts === undefined || !('salt' in facts)) throw new Error('a case has one host')
  const names = [...new Set([...Object.keys(given.was ?? {}), ...Object.keys(given.recorded ?? {})])]
  const records = names.flatMap((name) => {
    const over = given.recorded?.[name]
    const wanted = host.services.find((one) => one.name === name)
    if (over === null || wanted === undefined) return []
    const service = aService({ ...wanted, state: 'running', ...(over ?? given.was?.[name]) })
    return [[name, recordOf(input.fleet, { ...service, host: host.name }, facts, over ?? {})] as const]
  })
  const kept = (all: Readonly<Record<string, AppliedRecord>>) =>
    Object.entries(all).filter(([name]) => given.recorded?.[name] !== null)
  const applied = mapObserved(facts.applied, (all) =>
    withOverrides(Object.fromEntries([...kept(all), ...records]), given.facts?.overrides),
  )
  const driftIgnore = (given.ignore ?? []).map((entry, index) => ({ ...entry, source: { ...host.source, line: index + 1 } }))
  return { ...input, fleet: { ...input.fleet, driftIgnore }, facts: new Map([[host.name, { ...facts, applied }]]) }
}

function recordOf({ settings }: Fleet, service: Service, facts: HostFacts, over: RecordOptions): AppliedRecord {
  const manager = managers[service.manager]
  if (!facts.layout.known) throw new Error('a record needs a manager and a layout')
  const key = service.key === undefined ? undefined : new Secret(soundKey, 'env')
  const { definition } = manager.render({ service, settings, layout: facts.layout.value, key })
  const onHost = facts.definitions[manager.asks(service, settings.org).definitions[0] ?? '']
  const { key: _key, source: _source, host: _host, ...wanted } = service
  const plain = JSON.parse(JSON.stringify(wanted)) as Record<string, unknown>
  for (const name of ['waits', 'wanted', 'mark', 'definitionDigest']) delete plain[name]
  return {
    service: service.name,
    mark: over.mark ?? ownershipLabelOf(settings.org, service.name),
    runId: 'r1',
    appliedAt: '2026-10-30T08:00:00.000Z',
    definitionDigest:
      over.definitionDigest === 'as on the host'
        ? onHost?.known === true
          ? (onHost.value?.digest ?? '')
          : ''
        : (over.definitionDigest ?? digestOfText(definition.content)),
    wanted: over.wanted ?? plain,
    ...(over.waits === undefined ? {} : { waits: over.waits }),
  }
}
