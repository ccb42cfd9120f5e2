import type { HostFacts } from '../../model/facts.ts'
import { type FetchFact, type FoundFile, isProved, type WantedFile } from '../../model/fetch.ts'
import type { Host, ModelSource } from '../../model/fleet.ts'
import type { HubDigest } from '../../model/hub-file.ts'
import type { Problem } from '../../model/plan.ts'
import type { SourcedModel } from './order.ts'
import { sourcedModels } from './sources.ts'
import type { FileOnHost } from './state.ts'

/** What a host has of a model. */
export interface SeenModel {
  readonly host: string
  readonly model: SourcedModel
  readonly fact: FetchFact
}

/** A host whose files of a model are unknown, and why. */
export interface UnseenModel {
  readonly host: string
  readonly why: string
}

/** A file on another host, as it was when its digest was taken there. */
export interface Supplier {
  readonly host: string
  readonly file: FoundFile
}

/** What the other hosts have for a model of one host. */
export interface Neighbours {
  /** Models of the same repository, in the inventory's order. */
  readonly seen: readonly SeenModel[]
  readonly unseen: readonly UnseenModel[]
  /** Proven, unchanged files of any model; by `digestKey`. */
  readonly proved: ReadonlyMap<string, readonly Supplier[]>
}

/** What all hosts have of models that come from hubs. */
export interface FleetFiles {
  /** By `repositoryKey`. */
  readonly byRepository: ReadonlyMap<string, Pick<Neighbours, 'seen' | 'unseen'>>
  readonly proved: Neighbours['proved']
}

/** @param facts by host; missing hosts were not observed */
export function filesOfFleet(hosts: readonly Host[], facts: ReadonlyMap<string, HostFacts | Problem>): FleetFiles {
  const models = hosts.flatMap((host) =>
    sourcedModels(host.services, () => true).map((model) => ({ host: host.name, model, ...seenOf(model, facts.get(host.name)) })),
  )
  const byRepository = new Map(
    [...Map.groupBy(models, ({ model }) => repositoryKey(model.source))].map(([key, all]) => [
      key,
      {
        seen: all.flatMap(({ host, model, fact }) => (fact === undefined ? [] : [{ host, model, fact }])),
        unseen: all.flatMap(({ host, fact, why }) => (fact === undefined ? [{ host, why }] : [])),
      },
    ]),
  )
  const files = models.flatMap(({ host, fact }) => (fact === undefined ? [] : provedFiles(host, fact)))
  const proved = Map.groupBy(files, ({ digest }) => digestKey(digest))
  return { byRepository, proved: new Map([...proved].map(([key, all]) => [key, all.map(({ host, file }) => ({ host, file }))])) }
}

function seenOf(
  { path }: SourcedModel,
  facts: HostFacts | Problem | undefined,
): { readonly fact?: FetchFact; readonly why: string } {
  if (facts === undefined) return { why: 'it was not observed' }
  if (!('salt' in facts)) return { why: facts.summary }
  const fact = facts.fetches?.[path]
  if (fact?.known === true) return { fact: fact.value, why: '' }
  return { why: fact === undefined ? 'it was not asked about this model' : (fact.detail ?? fact.because) }
}

function provedFiles(host: string, fact: FetchFact): readonly (Supplier & { readonly digest: HubDigest })[] {
  return fact.digests.flatMap(({ path, digest }) => {
    const file = fact.files.find((one) => one.path === path)
    return file !== undefined && isProved({ path, digest }, fact) ? [{ host, file, digest }] : []
  })
}

/** The part that is useful for a model of a host. */
export function neighboursOf({ byRepository, proved }: FleetFiles, host: string, { source }: SourcedModel): Neighbours {
  const { seen = [], unseen = [] } = byRepository.get(repositoryKey(source)) ?? {}
  const isOther = (one: { readonly host: string }) => one.host !== host
  return { seen: seen.filter(isOther), unseen: unseen.filter(isOther), proved }
}

/** The hosts that have a file of this digest, without duplicates. */
export function suppliersOf(
  host: string,
  { digest, bytes }: Pick<WantedFile, 'digest' | 'bytes'>,
  { proved }: Neighbours,
): readonly Supplier[] {
  const all = (proved.get(digestKey(digest)) ?? []).filter((one) => one.host !== host && one.file.bytes === bytes)
  return all.filter((one, index) => all.findIndex((other) => other.host === one.host) === index)
}

/** Whether some of its bytes are missing. */
export function isComing({ state, have, bytes }: FileOnHost): boolean {
  return (state === 'missing' || state === 'partial') && have < bytes
}

/** Sources of one repository have the same key. */
export function repositoryKey({ hub, repo }: ModelSource): string {
  return `${hub}/${repo}`
}

function digestKey({ kind, hex }: HubDigest): string {
  return `${kind}:${hex}`
}
