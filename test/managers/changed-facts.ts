import type { Caffeinate, Container, DefinitionFile, HostFacts, Resident, UnitFact } from '../../src/model/facts.ts'
import type { LaunchAgent } from '../../src/model/launchd-fact.ts'
import { known, mapObserved, type Observed, type UnknownReason, unknown } from '../../src/model/observed.ts'

/** What a case says that is otherwise than on the simulated host. */
export interface FactChanges {
  readonly container?: Partial<Container>
  /** By name, what it is by now. */
  readonly imageIds?: Readonly<Record<string, string>>
  readonly unit?: Partial<UnitFact>
  /** Null: it is not there. */
  readonly definition?: Partial<DefinitionFile> | Missing | null
  /** Another place where the same definition is, as the probe was asked for it. */
  readonly definitionAlsoAt?: string
  /** Null: there is none. */
  readonly executable?: null
  readonly residents?: 'none' | Missing
  readonly resident?: Readonly<Record<string, unknown>>
  readonly containers?: Missing
  readonly engine?: 'none' | '1.29.2'
  readonly systemd?: 'none'
  /** A member that is null in it is left out. */
  readonly agent?: Readonly<Record<string, unknown>> | 'none'
  readonly launchd?: Missing
  readonly caffeinates?: readonly Caffeinate[]
  readonly keyFile?: { readonly modifiedAt: number }
  /** One that is left of another delivery. */
  readonly keyFileThere?: true
  /** Null: the server was not asked. */
  readonly keyAccepted?: boolean | null
}

export interface Missing {
  readonly unknown: UnknownReason
}

export function changed(facts: HostFacts, name: string, changes: FactChanges): HostFacts {
  const definitions = eachOf(facts.definitions, (seen) => changedDefinition(seen, changes.definition))
  const keyFiles = eachOf(facts.keyFiles, (seen) =>
    mapObserved(seen, (file) => {
      const found = file ?? (changes.keyFileThere === true ? leftKeyFile : null)
      return found === null ? null : { ...found, ...changes.keyFile }
    }),
  )
  return {
    ...facts,
    definitions: alsoAt(definitions, changes.definitionAlsoAt),
    keyFiles,
    executables: changes.executable === null ? eachOf(facts.executables, () => known(null)) : facts.executables,
    containers: changedContainers(facts.containers, name, changes),
    systemd: changedSystemd(facts.systemd, `${name}.service`, changes),
    launchd: changedLaunchd(facts.launchd, `com.example.${name}`, changes),
    ...(changes.caffeinates === undefined ? {} : { caffeinates: known(changes.caffeinates) }),
    residents: changedResidents(facts.residents, changes),
    http: eachOf(facts.http, (seen) =>
      mapObserved(seen, (one) =>
        changes.keyAccepted === undefined ? one : { ...one, keyAccepted: acceptedBy(changes.keyAccepted) },
      ),
    ),
  }
}

function alsoAt(definitions: HostFacts['definitions'], place: string | undefined): HostFacts['definitions'] {
  const there = Object.values(definitions).find((seen) => seen.known && seen.value !== null)
  return place === undefined || there === undefined ? definitions : { ...definitions, [place]: there }
}

function changedLaunchd(seen: HostFacts['launchd'], label: string, { agent, launchd }: FactChanges): HostFacts['launchd'] {
  if (launchd !== undefined) return unknown(launchd.unknown)
  if (agent === undefined) return seen
  return mapObserved(seen, (one) => {
    const { [label]: before, ...others } = one.agents
    if (agent === 'none') return { ...one, agents: others }
    const fields = Object.entries({ ...before, ...agent }).filter(
      ([field, value]) => value !== null || field === 'pid' || field === 'lastExit',
    )
    // A case may say anything of a job.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the case is the test's own
    return { ...one, agents: { ...others, [label]: Object.fromEntries(fields) as unknown as LaunchAgent } }
  })
}

function acceptedBy(answer: boolean | null): Observed<boolean> {
  return answer === null ? unknown('not-gathered') : known(answer)
}

const leftKeyFile = { path: 'of another delivery', saltedDigest: '', mode: 0o600, owner: 'root', modifiedAt: 1_790_000_000 }

function eachOf<T>(record: Readonly<Record<string, T>>, change: (value: T) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

function changedDefinition(
  seen: Observed<DefinitionFile | null>,
  change: FactChanges['definition'],
): Observed<DefinitionFile | null> {
  if (change === undefined) return seen
  if (change === null) return known(null)
  if ('unknown' in change) return unknown(change.unknown)
  return mapObserved(seen, (file) => (file === null ? null : { ...file, ...change }))
}

function changedContainers(seen: HostFacts['containers'], name: string, changes: FactChanges): HostFacts['containers'] {
  if (changes.containers !== undefined) return unknown(changes.containers.unknown)
  return mapObserved(seen, (one) => ({
    ...one,
    ...(changes.imageIds === undefined ? {} : { imageIds: changes.imageIds }),
    engine: changes.engine === 'none' ? null : changes.engine === undefined ? one.engine : composeOne(changes.engine),
    containers: one.containers.map((container) => (container.name === name ? { ...container, ...changes.container } : container)),
  }))
}

function composeOne(version: string) {
  return { path: '/usr/bin/docker', version: '26.1.5', compose: known({ argv: ['/usr/bin/docker-compose'], version }) }
}

function changedSystemd(seen: HostFacts['systemd'], name: string, changes: FactChanges): HostFacts['systemd'] {
  if (changes.systemd === 'none') return known({ version: null, units: {} })
  return mapObserved(seen, (one) => {
    const unit = one.units[name]
    return unit === undefined ? one : { ...one, units: { ...one.units, [name]: { ...unit, ...changes.unit } } }
  })
}

function changedResidents(seen: HostFacts['residents'], { residents, resident = {} }: FactChanges): HostFacts['residents'] {
  if (residents === 'none') return known([])
  if (residents !== undefined) return unknown(residents.unknown)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only what may be absent is taken away
  return mapObserved(seen, (all) => all.map((one) => withoutNulls({ ...one, ...resident }) as unknown as Resident))
}

/** YAML has no undefined: null takes a field away. */
function withoutNulls(one: object): object {
  return Object.fromEntries(Object.entries(one).filter(([, value]) => value !== null))
}
