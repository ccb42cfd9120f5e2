import { isBelow, nameOfPath } from '../../lib/posix-path.ts'
import { stableJson } from '../../lib/stable-json.ts'
import { isCommit } from '../../model/commit.ts'
import type { FetchFact, FetchJob } from '../../model/fetch.ts'
import type { HubFile } from '../../model/hub-file.ts'
import { loadsFolder, loadsGguf } from '../../servers/traits.ts'
import { chooseFiles } from './choose-files.ts'
import type { SeenModel } from './neighbours.ts'
import { type Listing, type SourcedModel } from './order.ts'

/**
 * A listing of a source without its hub: from the inventory, if it covers every file, or from the record of a job that fetched the same files
 * at the pinned commit. Undefined: not enough is known.
 *
 * @param own what the host itself has
 */
export function knownListing(model: SourcedModel, own: FetchFact, seen: readonly SeenModel[]): Listing | undefined {
  const { source } = model
  const alike = seen.filter((one) => isAlike(one.model, model)).map(({ fact }) => fact)
  const jobs = [own, ...alike].flatMap(({ job }) => (job?.repo === source.repo && isOfSelection(job, model) ? [job] : []))
  const facts = [own, ...seen.map(({ fact }) => fact)]
  return byInventory(model, jobs, facts) ?? byRecord(model, jobs)
}

/**
 * All parts of a Kind A model as the hub's own tool recorded them when it fetched the pinned commit. Existing files are hashed before they
 * count. Undefined: the tool was not used, or parts are missing.
 */
export function listedByTool({ kind, source }: SourcedModel, { files, listed = [] }: FetchFact): Listing | undefined {
  const { revision: commit } = source
  const own = listed.filter((one) => one.commit === commit)
  const parts = own.flatMap(({ path, sha256: hex }): HubFile[] => {
    const found = files.find((one) => one.path === path)
    return found === undefined ? [] : [{ path: nameOfPath(path), bytes: found.bytes, digest: { kind: 'sha256', hex } }]
  })
  if (loadsFolder(kind) || parts.length === 0 || parts.length < own.length) return undefined
  // Globs start at the top of the repository, and the records do not contain the folder.
  return typeof chooseFiles(kind, parts, []) === 'string' ? undefined : { commit, files: parts, isWhole: true }
}

/** Other selections have other records. */
function isAlike(one: SourcedModel, other: SourcedModel): boolean {
  return selection(one) === selection(other)
}

function selection({ kind, source: { hub, repo, revision, files } }: SourcedModel): string {
  return stableJson([kind, hub, repo, revision, files])
}

/** Whether a job was for the files that the source selects; the name of a GGUF file implies its parts. */
export function isOfSelection(job: FetchJob, { kind, source }: SourcedModel): boolean {
  return loadsGguf(kind) || (job.selection !== undefined && stableJson(job.selection) === stableJson(source.files))
}

/** Records on hosts are not trusted: contradicting ones are all ignored. */
function byRecord({ kind, path: model, source }: SourcedModel, jobs: readonly FetchJob[]): Listing | undefined {
  const { revision } = source
  const listings = jobs
    .filter(({ commit }) => commit === revision)
    .map(({ commit, files }) => ({
      commit,
      files: files.map(({ name, path, bytes, digest }): HubFile => ({ path: name ?? nameIn(kind, model, path), bytes, digest })),
    }))
  const sound = listings.filter(
    ({ files }) => files.every(({ path }) => isBelow(path)) && typeof chooseFiles(kind, files, source.files) !== 'string',
  )
  const [first] = sound
  return sound.every((one) => stableJson(one) === stableJson(first)) ? first : undefined
}

/** Older records contain the path of a file instead of its name at the hub. */
function nameIn(kind: SourcedModel['kind'], model: string, path: string): string {
  return loadsFolder(kind) && path.startsWith(`${model}/`) ? path.slice(model.length + 1) : nameOfPath(path)
}

/** Sizes of files that are proven to have these digests. */
function byInventory(
  { kind, source }: SourcedModel,
  jobs: readonly FetchJob[],
  facts: readonly FetchFact[],
): Listing | undefined {
  const { sha256 = {}, files: names, revision } = source
  const commit = isCommit(revision) ? revision : jobs[0]?.commit
  const files = Object.entries(sha256).flatMap(([path, hex]): HubFile[] => {
    const hashed = facts.flatMap(({ digests }) => digests).filter(({ digest }) => digest.kind === 'sha256' && digest.hex === hex)
    const [first] = hashed
    if (first === undefined || hashed.some(({ bytes }) => bytes !== first.bytes)) return []
    return [{ path, bytes: first.bytes, digest: first.digest }]
  })
  const isEvery = loadsGguf(kind) || (names.length > 0 && names.every((name) => Object.hasOwn(sha256, name)))
  if (commit === undefined || !isEvery || files.length < Object.keys(sha256).length) return undefined
  return typeof chooseFiles(kind, files, names) === 'string' ? undefined : { commit, files }
}
