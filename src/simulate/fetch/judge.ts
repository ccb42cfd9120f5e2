import { converge } from '../../lib/next-command.ts'
import { isCommit } from '../../model/commit.ts'
import type { FetchedState, FetchFact, FetchJob } from '../../model/fetch.ts'
import type { NotAskedThen, Unknown } from '../../model/observed.ts'
import type { Problem } from '../../model/plan.ts'
import { failureProblem } from './failure.ts'
import type { FetchCase } from './fetch-case.ts'
import { isOfSelection, knownListing, listedByTool } from './known-listing.ts'
import { gated, obstacle, unlisted, unobtainable, unsound, wrongFiles } from './objections.ts'
import { type HubTrouble, type Listing, orderOf, type SourcedModel } from './order.ts'
import { type FileOnHost, filesOnHost, isWhole } from './state.ts'
import { type Supply, supplyOf } from './supply.ts'

/** `order` is absent if no job may be started. */
export interface FetchVerdict extends Partial<Supply> {
  readonly state: FetchedState
  readonly files: readonly FileOnHost[]
  /** Null: unknown. */
  readonly commit: string | null
  readonly problem?: Problem
}

/** The state of a model's download, and whether to start a job for it. Pure. */
export function judgeFetch(one: FetchCase): FetchVerdict {
  const { host, model, fact } = one
  const fault = unsound(host, model)
  if (fault !== undefined) return { state: 'refused', files: [], commit: null, problem: fault }
  if (!fact.known) return { state: 'unknown', files: [], commit: null, problem: unseen(host, model, fact) }
  const { job } = fact.value
  if (job?.state === 'working' && job.alive) return { state: 'fetching', ...ofJob(job, fact.value) }
  const listing = listingOf(one, fact.value)
  if (listing === undefined || 'code' in listing) return withoutHub(one, fact.value, listing)
  return judgeListed(one, fact.value, listing)
}

/** For a model whose files are known. */
function judgeListed(one: FetchCase, fact: FetchFact, listing: Listing): FetchVerdict {
  const { host, model } = one
  const { commit } = listing
  const order = orderOf(model, listing)
  if (typeof order === 'string') return { state: 'refused', files: [], commit, problem: wrongFiles(commit, order) }
  const files = filesOnHost(order.files, fact)
  const contradicted = unlisted(model, order, listing)
  if (contradicted === undefined && isWhole(files)) return { state: 'complete', files, commit }
  const problem = contradicted ?? obstacle(one, files, listing)
  if (problem !== undefined) return { state: 'refused', files, commit, problem }
  const supply = supplyOf(one, order, files)
  const refusal = 'code' in supply ? supply : unobtainable(one, files, listing, supply)
  if (refusal !== undefined) return { state: 'refused', files, commit, problem: refusal }
  return { state: 'due', files, commit, ...supply, ...(fact.job?.commit === commit ? lastJob(host, fact.job) : {}) }
}

/** Without an answer of the hub: what its own tool recorded on the host, or, if the hub must not be asked, what the fleet knows of the source. */
function listingOf({ model, listing, neighbours }: FetchCase, fact: FetchFact): FetchCase['listing'] {
  if (listing !== undefined && !('code' in listing)) return listing
  // Unaccepted terms and a deleted repository do not matter for existing files.
  const { job } = fact
  const isProvedByUs = job !== null && isOf(job, model) && isWhole(ofJob(job, fact).files)
  if (listing !== undefined && !isProvedByUs) {
    const kept = listedByTool(model, fact)
    if (kept !== undefined) return kept
  }
  if (model.source.from !== 'fleet' || neighbours === undefined) return listing
  return knownListing(model, fact, neighbours.seen) ?? listing
}

/** The problem of a job that was stopped or failed. */
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

/** What the host's own record proves needs no hub; the state of anything else, such as another commit or more files, is unknown. */
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

/** Unaccepted terms are an answer, not an unknown state. */
function stateWithout(trouble: HubTrouble | undefined): 'due' | 'refused' | 'unknown' {
  if (trouble === undefined) return 'due'
  return trouble.code === gated.code ? 'refused' : 'unknown'
}

/** Whether a job was for the desired model, as far as that is known without the hub. */
function isOf(job: FetchJob, model: SourcedModel): boolean {
  const { repo, revision } = model.source
  return job.repo === repo && (!isCommit(revision) || job.commit === revision) && isOfSelection(job, model)
}

function unseen(host: string, { path, services }: SourcedModel, fact: Unknown | NotAskedThen): Problem {
  const status = converge(['fetch', 'status', '--limit', host, ...services.flatMap((one) => ['--service', one])])
  const toRead = `Give the account that converge uses on ${host} read access to the folder, or set ansible_become: true.`
  return {
    code: 'FACT.UNKNOWN',
    summary: 'The files of the model on the host are unknown.',
    why: `On ${host}, ${path}: ${fact.detail ?? fact.because}.`,
    next: ['remedy' in fact ? fact.remedy : fact.because === 'not-gathered' ? status : toRead],
  }
}
