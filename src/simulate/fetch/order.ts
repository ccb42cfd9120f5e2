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
  /** These are exactly the files of the model: nothing is selected. */
  readonly isWhole?: true
  /** By path in the repository, the header of a file, or why the hub does not show it; absent: not asked. */
  readonly starts?: ReadonlyMap<string, Observed<GgufHeader> | HubTrouble>
  /** By an earlier commit, how many commits this one is ahead; null: not in the hub's list. */
  readonly ahead?: ReadonlyMap<string, number | null>
}

/** The limit of files per folder on a host. */
const mostFiles = 5000

/** Why a hub gave no answer about a source. */
export type HubTrouble = Pick<Problem, 'code' | 'why' | 'next'>

/** One model of a host: services that load the same path from the same source share it. */
export interface SourcedModel {
  readonly kind: Service['kind']
  readonly path: string
  readonly source: ModelSource
  readonly services: readonly string[]
  /** Services that load the same path from another source; absent: none. */
  readonly rivals?: readonly string[]
}

/**
 * What a job must fetch: files of Kind A go beside the path of the model, under their own names; those of Kind B below the path, in the folders
 * of their repository. Text: why there is nothing to fetch, to follow "At COMMIT, ".
 */
export function orderOf(
  { kind, path, source, services }: SourcedModel,
  { commit, files, isWhole }: Listing,
): FetchOrder | string {
  const chosen = chooseFiles(kind, files, isWhole === true ? [] : source.files)
  if (typeof chosen === 'string') return chosen
  const [first] = chosen
  if (loadsGguf(kind) && first !== undefined && nameOfPath(first.path) !== nameOfPath(path))
    return `the model is named ${nameOfPath(first.path)}, but model.path ends with ${nameOfPath(path)}`
  if (chosen.length > mostFiles) return `it has ${chosen.length} files; the limit is ${mostFiles}`
  const reserved = chosen.find(({ path: name }) => /\.(?:part|lock|rest|probe|taking|hub)(?:\/|$)|\.piece-/.test(name))
  if (reserved !== undefined) return `${nameOfPath(reserved.path)} has the name of an incomplete file`
  const wanted = chosen.map(
    ({ path: name, bytes, digest }): WantedFile => ({ name, path: targetPath({ kind, path }, name), bytes, digest }),
  )
  const { hub, repo, fetcher = 'auto' } = source
  return { id: fetchIdOf(path), model: path, services, hub, repo, commit, fetcher, selection: source.files, files: wanted }
}

/** The path of a repository's file on a host. */
export function targetPath({ kind, path }: Pick<SourcedModel, 'kind' | 'path'>, name: string): string {
  return loadsGguf(kind) ? joinPaths(folderOfPath(path), nameOfPath(name)) : joinPaths(path, name)
}
