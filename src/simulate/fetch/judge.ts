import { binaryBytes } from '../../lib/binary-bytes.ts'
import { converge } from '../../lib/next-command.ts'
import { nameOfPath } from '../../lib/posix-path.ts'
import { isCommit } from '../../model/commit.ts'
import type { DiskFact } from '../../model/disk-fact.ts'
import { type FetchedState, type FetchFact, type FetchJob, type FetchOrder, type FetchTool, isProved } from '../../model/fetch.ts'
import type { NotAskedThen, Observed, Unknown } from '../../model/observed.ts'
import type { Problem } from '../../model/plan.ts'
import { failureProblem } from './failure.ts'
import { isOfSelection, knownListing, listedByTool } from './known-listing.ts'
import { isComing, type Neighbours } from './neighbours.ts'
import { type HubTrouble, type Listing, orderOf, type SourcedModel } from './order.ts'
import { bytesToFetch, type FileOnHost, filesOnHost, isWhole } from './state.ts'
import { type Supply, supplyOf } from './supply.ts'

/** All that is known of one model of one host. */
export interface FetchCase {
  readonly host: string
  readonly model: SourcedModel
  readonly fact: Observed<FetchFact>
  /** Absent: its hub was not asked. */
  readonly listing?: Listing | HubTrouble
  /** Of the volume that it lies on. */
  readonly disk?: Observed<DiskFact>
  /** What other hosts have; absent: nobody looked, so nothing is known of where files would come from but the hub. */
  readonly neighbours?: Neighbours
  /** Pids of servers that work from what lies at its path; absent: not known. */
  readonly users?: readonly number[]
}

/** `order` is absent where no job may be started. */
export interface FetchVerdict extends Partial<Supply> {
  readonly state: FetchedState
  readonly files: readonly FileOnHost[]
  /** Null: nobody knows it. */
  readonly commit: string | null
  readonly problem?: Problem
}

/** How far a model is, and whether a job may be started for it. Pure. */
export function judgeFetch(one: FetchCase): FetchVerdict {
  const { host, model, fact } = one
  if (model.rivals !== undefined)
    return { state: 'refused', files: [], commit: null, problem: rivalry(host, model, model.rivals) }
  const odd = oddPath(model)
  if (odd !== undefined) return { state: 'refused', files: [], commit: null, problem: odd }
  if (!fact.known) return { state: 'unknown', files: [], commit: null, problem: unseen(host, model, fact) }
  const { job } = fact.value
  if (job?.state === 'working' && job.alive) return { state: 'fetching', ...ofJob(job, fact.value) }
  const listing = listingOf(one, fact.value)
  if (listing === undefined || 'code' in listing) return withoutHub(one, fact.value, listing)
  const order = orderOf(model, listing)
  const { commit } = listing
  if (typeof order === 'string') return { state: 'refused', files: [], commit, problem: wrongFiles(commit, order) }
  const files = filesOnHost(order.files, fact.value)
  const contradicted = unlisted(model, order, listing)
  if (contradicted === undefined && isWhole(files)) return { state: 'complete', files, commit }
  const problem = contradicted ?? movedProblem(one, files, listing) ?? otherProblem(one, files) ?? spaceProblem(one, files)
  if (problem !== undefined) return { state: 'refused', files, commit, problem }
  const last = job?.commit === commit ? lastJob(host, job) : {}
  const supply = supplyOf(one, order, files)
  const refusal = 'code' in supply ? supply : (notShown(listing, files, supply) ?? noTools(one, files, supply))
  if (refusal !== undefined) return { state: 'refused', files, commit, problem: refusal }
  return { state: 'due', files, commit, ...supply, ...last }
}

/** Where the hub lists the files and does not give them, and no other host has them. */
function notShown({ starts }: Listing, files: readonly FileOnHost[], { suppliers }: Supply): Problem | undefined {
  const first = files.find((file) => isComing(file) && suppliers?.has(file.path) !== true && starts?.has(file.name) === true)
  const start = first === undefined ? undefined : starts?.get(first.name)
  if (start === undefined || !('code' in start)) return undefined
  // Another refusal may be of this machine alone.
  return start.code === gated.code ? { ...gated, ...start } : undefined
}

/** The job would fail for this too, but only once it runs. */
function noTools(
  { host, model, fact }: FetchCase,
  files: readonly FileOnHost[],
  { order, suppliers }: Supply,
): Problem | undefined {
  const { tools } = fact.known ? fact.value : {}
  if (tools === undefined) return undefined
  const has = (...names: readonly FetchTool[]) => names.some((name) => tools.includes(name))
  const fromHub = order.fetcher !== 'none' && files.some((file) => isComing(file) && suppliers?.has(file.path) !== true)
  const mayUseTool = order.fetcher !== 'http' && has('hf', 'huggingface-cli')
  const mayUseHttp = order.fetcher !== 'hub' && (has('curl') || (has('wget') && model.source.token === undefined))
  const canFetch = !fromHub || mayUseTool || mayUseHttp
  if (canFetch && has('openssl', 'sha256sum', 'shasum')) return undefined
  return failureProblem(host, { reason: 'tools', path: model.path })
}

const gated = { code: 'MODEL.GATED', summary: 'The hub does not give the files of the model.' } as const

/** Without an answer of the hub, what its own tool recorded on the host; where it is not to be asked, what the fleet knows of the source. */
function listingOf({ model, listing, neighbours }: FetchCase, fact: FetchFact): FetchCase['listing'] {
  if (listing !== undefined && !('code' in listing)) return listing
  // Unaccepted terms and a repository that is gone do not matter for files that are there.
  const { job } = fact
  const isProvedByUs = job !== null && isOf(job, model) && isWhole(ofJob(job, fact).files)
  if (listing !== undefined && !isProvedByUs) {
    const kept = listedByTool(model, fact)
    if (kept !== undefined) return kept
  }
  if (model.source.from !== 'fleet' || neighbours === undefined) return listing
  return knownListing(model, fact, neighbours.seen) ?? listing
}

/** Of a job that was at work, or came to no good end. */
function lastJob(host: string, job: FetchJob | null): { readonly state?: 'stopped' | 'failed'; readonly problem?: Problem } {
  if (job?.state === 'stopped') return { state: 'stopped' }
  return job?.state === 'failed' ? { state: 'failed', problem: failureProblem(host, job) } : {}
}

function ofJob(job: FetchJob, fact: FetchFact): Pick<FetchVerdict, 'files' | 'commit'> {
  return {
    files: filesOnHost(
      job.files.map((file) => ({ name: file.path, ...file })),
      fact,
    ),
    commit: job.commit,
  }
}

/** What the host's own record proves needs no hub; of anything else, as of another commit or more files, nobody knows how far it is. */
function withoutHub({ host, model }: FetchCase, fact: FetchFact, trouble: HubTrouble | undefined): FetchVerdict {
  const { job } = fact
  const summary = trouble?.code === gated.code ? gated.summary : 'The hub cannot be asked.'
  const problem = trouble === undefined ? {} : { problem: { summary, ...trouble } }
  if (job === null || !isOf(job, model)) return { state: stateWithout(trouble), files: [], commit: null, ...problem }
  const own = ofJob(job, fact)
  const isPinned = job.commit === model.source.revision
  if (isWhole(own.files) && (isPinned || trouble === undefined)) return { state: 'complete', ...own }
  if (trouble === undefined) return { state: 'due', ...own, ...lastJob(host, job) }
  return { state: stateWithout(trouble), ...own, ...problem }
}

/** Unaccepted terms are an answer. */
function stateWithout(trouble: HubTrouble | undefined): 'due' | 'refused' | 'unknown' {
  if (trouble === undefined) return 'due'
  return trouble.code === gated.code ? 'refused' : 'unknown'
}

/** Whether a job was for what is wanted now, as far as that can be told without the hub. */
function isOf(job: FetchJob, model: SourcedModel): boolean {
  const { repo, revision } = model.source
  return job.repo === repo && (!isCommit(revision) || job.commit === revision) && isOfSelection(job, model)
}

function unseen(host: string, { path, services }: SourcedModel, fact: Unknown | NotAskedThen): Problem {
  const status = converge(['fetch', 'status', '--limit', host, ...services.flatMap((one) => ['--service', one])])
  const toRead = `Let the account that converge uses on ${host} read the folder, or set ansible_become: true.`
  return {
    code: 'FACT.UNKNOWN',
    summary: 'What the host has of the model is not known.',
    why: `On ${host}, of ${path}: ${fact.detail ?? fact.because}.`,
    next: ['remedy' in fact ? fact.remedy : fact.because === 'not-gathered' ? status : toRead],
  }
}

function rivalry(host: string, { path, services }: SourcedModel, rivals: readonly string[]): Problem {
  return {
    code: 'FETCH.SOURCES',
    summary: 'Two services load one path from different sources.',
    why: `On ${host}, ${services.join(', ')} and ${rivals.join(', ')} load ${path}, and name different sources for it.`,
    next: ['Give each model its own model.path, or both the same source.'],
  }
}

/** One path is one model: records, locks and marks are found by how it is written. */
function oddPath({ path }: SourcedModel): Problem | undefined {
  const isExact =
    path.startsWith('/') && !/\/\/|\/$|[*?[\]{}$]/.test(path) && !path.split('/').some((part) => part === '.' || part === '..')
  if (isExact) return undefined
  return {
    code: 'FETCH.FILES',
    summary: 'The path of the model is not exact.',
    why: `model.path is written as ${path}; a model is fetched to one exact path, without \`..\`, wildcards or redundant slashes.`,
    next: ['Write model.path from the root, with single slashes and none at its end.'],
  }
}

function wrongFiles(commit: string, why: string): Problem {
  return {
    code: 'FETCH.FILES',
    summary: 'The source names no model.',
    why: `At ${commit}, ${why}.`,
    next: ['Correct model.source.files or model.path; names and globs count from the top of the repository.'],
  }
}

/** What the inventory says of files, beside what the hub lists. */
function unlisted({ source }: SourcedModel, { commit, files }: FetchOrder, { isWhole: byName }: Listing): Problem | undefined {
  // The records of the hub's tool do not say which folder of the repository it was.
  const wanted = Object.entries(source.sha256 ?? {}).map(
    ([name, hex]) => [byName === true ? nameOfPath(name) : name, hex] as const,
  )
  const wrong = wanted.find(
    ([name, hex]) => !files.some((file) => file.name === name && file.digest.kind === 'sha256' && file.digest.hex === hex),
  )
  if (wrong === undefined) return undefined
  const [name, hex] = wrong
  const listed = files.find((file) => file.name === name)
  const instead =
    listed === undefined ? 'it is not among the files of the model' : `the hub lists ${listed.digest.kind} ${listed.digest.hex}`
  return {
    code: 'MODEL.DIGEST_MISMATCH',
    summary: 'The hub lists another file than the inventory.',
    why: `For ${name} of ${source.repo} at ${commit} the inventory says sha256 ${hex}; ${instead}. Nothing was fetched.`,
    next: ['Find out which of the two is right before you change model.source.sha256 or revision.'],
  }
}

/** A branch that moved: the host has it, or what of it would have to be replaced, as the last job fetched it. */
function movedProblem(
  { host, model, fact }: FetchCase,
  files: readonly FileOnHost[],
  { commit, ahead }: Listing,
): Problem | undefined {
  const job = fact.known ? fact.value.job : null
  const { repo, revision } = model.source
  if (!fact.known || job === null || job.repo !== repo || job.commit === commit || revision === commit) return undefined
  const fetched = job.files.filter((file) => isProved(file, fact.value))
  const others = files.filter(({ state }) => state === 'other')
  const isOurs = others.length > 0 && others.every(({ path }) => fetched.some((file) => file.path === path))
  if (!isOurs && (fetched.length === 0 || fetched.length < job.files.length)) return undefined
  return {
    code: 'MODEL.MOVED',
    summary: 'The branch or tag points to another commit now.',
    why: `${host} has ${repo} at ${job.commit}, and ${revision} is at ${commit}${aheadWords(ahead?.get(job.commit))}. Files are never replaced in place.`,
    next: [
      `Keep what is there:  revision: ${job.commit}`,
      'Or fetch the new one beside it: give model.path another name; the server is switched when it is applied.',
    ],
  }
}

/** `, 3 commits ahead`; nothing where that is not known. */
export function aheadWords(commits: number | null | undefined): string {
  if (typeof commits !== 'number' || commits === 0) return ''
  return commits === 1 ? ', 1 commit ahead' : `, ${commits} commits ahead`
}

function otherProblem({ host, model, users = [] }: FetchCase, files: readonly FileOnHost[]): Problem | undefined {
  const other = files.find(({ state }) => state === 'other')
  if (other === undefined) return undefined
  const [pid] = users
  if (pid !== undefined)
    return {
      code: 'MODEL.IN_USE',
      summary: 'A running server has another version of the model open.',
      why: `On ${host}, process ${pid} works from ${model.path}, and ${other.path} is not the file that ${model.source.repo} has at ${model.source.revision}. It is not replaced under a running server.`,
      next: [
        'Fetch the new one beside it: give model.path another name. The server is switched to it at its restart.',
        'Or keep what runs: name its commit in model.source.revision.',
      ],
    }
  return {
    code: 'MODEL.DIGEST_MISMATCH',
    summary: 'Another file lies where the model belongs.',
    why: `On ${host}, ${other.path} is not the file that the hub lists (${binaryBytes(other.bytes)}, ${other.digest.kind} ${other.digest.hex.slice(0, 12)}…). It is never overwritten: a server may have it open.`,
    next: ['Move it away if it is not needed, or give model.path another name.'],
  }
}

/** Bytes that have to be free for so many to come: file systems keep some for themselves. */
export function needsRoom(bytes: number): number {
  return bytes * 1.05
}

function spaceProblem({ host, model, disk }: FetchCase, files: readonly FileOnHost[]): Problem | undefined {
  const bytes = bytesToFetch(files)
  if (bytes === 0 || disk?.known !== true || needsRoom(bytes) <= disk.value.freeBytes) return undefined
  const { freeBytes, mount } = disk.value
  return {
    code: 'MODEL.NO_SPACE',
    summary: 'The model does not fit on the disk.',
    why: `On ${host}, ${binaryBytes(bytes)} of ${model.path} are still to come (and 5 % to spare), and ${binaryBytes(freeBytes)} are free${mount === undefined ? '' : ` on ${mount}`}. Nothing was fetched.`,
    next: ['Free space there, or put model.path on another volume.'],
  }
}
