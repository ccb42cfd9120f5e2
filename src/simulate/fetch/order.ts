import { fetchIdOf } from '../../facts/fetch-id.ts'
import { folderOfPath, joinPaths, nameOfPath } from '../../lib/posix-path.ts'
import type { GgufHeader } from '../../model/facts.ts'
import type { FetchOrder, WantedFile } from '../../model/fetch.ts'
import type { ModelSource, Service } from '../../model/fleet.ts'
import type { HubFile } from '../../model/hub-file.ts'
import type { Observed } from '../../model/observed.ts'
import type { Problem } from '../../model/plan.ts'
import { loadsGguf } from '../../servers/traits.ts'
import { chooseFiles } from './choose-files.ts'

/** A repository at a commit. */
export interface Listing {
  /** 40 hexadecimal digits. */
  readonly commit: string
  readonly files: readonly HubFile[]
  /** These are the files of the model and no others: nothing is selected from them. */
  readonly isWhole?: true
  /** By path in the repository, how a file begins, or why the hub does not show it; absent: not asked. */
  readonly starts?: ReadonlyMap<string, Observed<GgufHeader> | HubTrouble>
  /** By an earlier commit, how many commits this one is ahead of it; null: the hub does not list it. */
  readonly ahead?: ReadonlyMap<string, number | null>
}

/** More of one folder are not looked at on a host. */
const mostFiles = 5000

/** Why a hub gave no answer about a source. */
export type HubTrouble = Pick<Problem, 'code' | 'why' | 'next'>

/** One model of a host: services that load the same path from the same source are one. */
export interface SourcedModel {
  readonly kind: Service['kind']
  readonly path: string
  readonly source: ModelSource
  readonly services: readonly string[]
  /** Services that load the same path from another source; absent: there are none. */
  readonly rivals?: readonly string[]
}

/**
 * What a job is to fetch: a file of Kind A goes beside the path of its model, under its own name; those of Kind B below the path, in the folders
 * that they have in their repository. Text: why there is nothing to fetch, behind "At COMMIT, ".
 */
export function orderOf(
  { kind, path, source, services }: SourcedModel,
  { commit, files, isWhole }: Listing,
): FetchOrder | string {
  const chosen = chooseFiles(kind, files, isWhole === true ? [] : source.files)
  if (typeof chosen === 'string') return chosen
  const [first] = chosen
  if (loadsGguf(kind) && first !== undefined && nameOfPath(first.path) !== nameOfPath(path))
    return `the model is called ${nameOfPath(first.path)}, and model.path ends with ${nameOfPath(path)}`
  if (chosen.length > mostFiles) return `it has ${chosen.length} files, and no model has more than ${mostFiles}`
  const reserved = chosen.find(({ path: name }) => /\.(?:part|lock|rest|probe|taking|hub)(?:\/|$)|\.piece-/.test(name))
  if (reserved !== undefined) return `${nameOfPath(reserved.path)} is called like a file that is not complete`
  const wanted = chosen.map(
    ({ path: name, bytes, digest }): WantedFile => ({ name, path: placeOf({ kind, path }, name), bytes, digest }),
  )
  const { hub, repo, fetcher = 'auto' } = source
  return { id: fetchIdOf(path), model: path, services, hub, repo, commit, fetcher, selection: source.files, files: wanted }
}

/** Where a file of the repository belongs on a host. */
export function placeOf({ kind, path }: Pick<SourcedModel, 'kind' | 'path'>, name: string): string {
  return loadsGguf(kind) ? joinPaths(folderOfPath(path), nameOfPath(name)) : joinPaths(path, name)
}
