import type { GgufHeader } from '../../src/model/facts.ts'
import type { FetchFact, FetchJob, HashedFile } from '../../src/model/fetch.ts'
import type { Host, Service } from '../../src/model/fleet.ts'
import type { HubDigest } from '../../src/model/hub-file.ts'
import { known, type Observed } from '../../src/model/observed.ts'
import type { RegistryImage } from '../../src/model/registry.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { type HubTrouble, type Listing, targetPath } from '../../src/simulate/fetch/order.ts'
import { type HubAnswers, questionId } from '../../src/simulate/fetch/sources.ts'
import { gibibyte } from './build.ts'
import { observedAs, type UnknownNote } from './unknown-note.ts'

/** Two hexadecimal digits stand for a whole digest or commit of them. */
type Hex = string

interface ScenarioFile {
  readonly gb: number
  readonly hex: Hex
}

/** By service name: where its revision is and which files are there; or why the hub does not say. */
type ScenarioHubs = Readonly<Record<string, ScenarioListing | HubTrouble>>

interface ScenarioListing {
  readonly commit: Hex
  readonly files: Readonly<Record<string, ScenarioFile>>
  /** By file: what its header says, or why the hub does not show it. */
  readonly starts?: Readonly<Record<string, Omit<GgufHeader, 'version'> | HubTrouble>>
  /** By an earlier commit. */
  readonly ahead?: Readonly<Record<Hex, number>>
}

/** By service name: what the host has of its model. Files are called as in the repository. */
export type ScenarioFetches = Readonly<Record<string, ScenarioFetch>>

export interface ScenarioFetch {
  /** Sizes in GiB; a partial file as it is on disk (`coder.gguf.aaaaaaaa.part`). */
  readonly files?: Readonly<Record<string, number>>
  /** Digests that were taken of files as they are. */
  readonly digests?: Readonly<Record<string, Hex>>
  /** Those of files that were changed since. */
  readonly stale?: Readonly<Record<string, Hex>>
  readonly job?: Partial<Omit<FetchJob, 'files' | 'commit'>> & {
    readonly commit: Hex
    readonly files: Readonly<Record<string, ScenarioFile>>
  }
}

function hubsOf(hubs: ScenarioHubs, host: Host): HubAnswers {
  return new Map(
    Object.entries(hubs).map(([name, given]): [string, Listing | HubTrouble] => {
      const { source } = serviceOf(host, name).model
      if (source === undefined) throw new Error(`the model of ${name} has no source`)
      return [questionId(source), 'code' in given ? given : listingOf(given)]
    }),
  )
}

function listingOf({ commit, files, starts = {}, ahead = {} }: ScenarioListing): Listing {
  return {
    commit: commit.repeat(20),
    files: Object.entries(files).map(([path, { gb, hex }]) => ({ path, bytes: gb * gibibyte, digest: digestOf(hex) })),
    starts: new Map(
      Object.entries(starts).map(([path, given]) => [path, 'code' in given ? given : known({ version: 3, ...given })]),
    ),
    ahead: new Map(Object.entries(ahead).map(([since, commits]) => [since.repeat(20), commits])),
  }
}

export function fetchesOf(fetches: ScenarioFetches, host: Host): Readonly<Record<string, Observed<FetchFact>>> {
  return Object.fromEntries(
    Object.entries(fetches).map(([name, given]) => {
      const service = serviceOf(host, name)
      return [service.model.path, known(factOf(service, given))]
    }),
  )
}

function factOf(service: Service, { files = {}, digests = {}, stale = {}, job }: ScenarioFetch): FetchFact {
  const found = Object.entries(files).map(([name, gb], index) => ({
    path: at(service, name),
    bytes: gb * gibibyte,
    inode: String(index + 1),
    modified: 1_790_000_000,
    changed: 1_790_000_000,
  }))
  const hashed = (of: Readonly<Record<string, Hex>>, changed: number) =>
    Object.entries(of).flatMap(([name, hex]): HashedFile[] =>
      found.filter(({ path }) => path === at(service, name)).map((file) => ({ ...file, changed, digest: digestOf(hex) })),
    )
  const { repo = '', files: selection = [] } = service.model.source ?? {}
  return {
    files: found,
    digests: [...hashed(digests, 1_790_000_000), ...hashed(stale, 1_780_000_000)],
    job: job === undefined ? null : { state: 'done', alive: false, repo, selection, ...job, ...wantedBy(service, job) },
  }
}

function wantedBy(service: Service, { commit, files }: NonNullable<ScenarioFetch['job']>): Pick<FetchJob, 'commit' | 'files'> {
  const wanted = Object.entries(files).map(([name, { gb, hex }]) => ({
    path: at(service, name),
    bytes: gb * gibibyte,
    digest: digestOf(hex),
  }))
  return { commit: commit.repeat(20), files: wanted }
}

function at({ kind, model }: Service, name: string): string {
  return targetPath({ kind, path: model.path }, name)
}

function digestOf(hex: Hex): HubDigest {
  return { kind: 'sha256', hex: hex.repeat(32) }
}

function serviceOf(host: Host, name: string): Service {
  const service = host.services.find((one) => one.name === name)
  if (service === undefined) throw new Error(`the scenario has a model for ${name}, which is not among its services`)
  return service
}

/** What is asked elsewhere than on the host. */
export interface ScenarioAnswers {
  /** What hubs say; absent: none was asked. */
  readonly hubs?: ScenarioHubs
  /** What registries say of images, by name, for an upgrade; absent: it is none. */
  readonly registries?: Readonly<Record<string, RegistryImage | UnknownNote>>
}

export function answersOf({ hubs, registries }: ScenarioAnswers, host: Host): Pick<PlanInput, 'hubs' | 'registries'> {
  const answers = Object.entries(registries ?? {}).map(([image, given]) => [image, observedAs(given, (one) => one)] as const)
  return {
    ...(hubs === undefined ? {} : { hubs: hubsOf(hubs, host) }),
    ...(registries === undefined ? {} : { registries: new Map([[host.name, Object.fromEntries(answers)]]) }),
  }
}
