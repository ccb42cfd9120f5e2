import { counted } from '../lib/counted.ts'
import type { DriftFinding, NotCompared } from '../model/drift.ts'
import type { FetchJob } from '../model/fetch.ts'
import type { HubDigest } from '../model/hub-file.ts'
import { loadsGguf } from '../servers/traits.ts'
import type { JudgedModel } from '../simulate/fetch/judge-host.ts'
import { type Mismatch, mismatchesOf } from '../simulate/fetch/mismatch.ts'
import { aheadWords } from '../simulate/fetch/objections.ts'

/** The findings about models that come from hubs. */
export interface ModelDrift {
  readonly findings: readonly DriftFinding[]
  readonly notCompared: readonly NotCompared[]
}

type ModelFinding = Omit<DriftFinding, 'service'>

/** The most wrong files of a model that are named; the others are counted. */
const mostNamed = 20

/**
 * Compares the models of a host with their sources: a branch that moved, missing files, and files that differ. What was last fetched counts as
 * last applied. A file of the right size without a known digest is no finding; without an answer of the hub, nothing is compared.
 */
export function compareModels(models: readonly JudgedModel[]): ModelDrift {
  return {
    findings: models.flatMap((one) => forEachService(one, findingsOf(one))),
    notCompared: models.flatMap((one) => forEachService(one, notComparedOf(one))),
  }
}

function forEachService<T>({ about }: JudgedModel, all: readonly T[]): readonly (T & { readonly service: string })[] {
  return about.model.services.flatMap((service) => all.map((one) => ({ service, ...one })))
}

function notComparedOf({ verdict: { state, problem } }: JudgedModel): readonly Omit<NotCompared, 'service'>[] {
  if (state !== 'unknown' || problem === undefined) return []
  const { code, why, next } = problem
  return [{ code, why, next }]
}

function findingsOf(judged: JudgedModel): readonly ModelFinding[] {
  const { about, verdict } = judged
  if (about.model.rivals !== undefined || !about.fact.known) return []
  const { job } = about.fact.value
  if (verdict.problem?.code === 'MODEL.MOVED') return job === null ? [] : [moved(judged, job)]
  const last = job?.repo === about.model.source.repo ? job : null
  return [...wrongFiles(judged, last), ...missingFiles(judged, last)]
}

function moved({ about: { model, listing }, verdict: { commit } }: JudgedModel, job: FetchJob): ModelFinding {
  const ahead = listing === undefined || 'code' in listing ? undefined : listing.ahead?.get(job.commit)
  const at = (hex: string | null) => `${model.source.revision} at ${shortCommit(hex)}`
  return {
    field: 'model.revision',
    class: 'pending',
    desired: at(commit),
    recorded: at(job.commit),
    actual: at(job.commit),
    note: `MODEL.MOVED: the branch or tag points to another commit${aheadWords(ahead)} since the model was fetched`,
  }
}

/** The progress of a running download is not a value: otherwise every run would find something new. */
function missingFiles({ about, verdict }: JudgedModel, job: FetchJob | null): readonly ModelFinding[] {
  const { state, files, commit, problem } = verdict
  const present = files.filter((one) => one.state !== 'missing' && one.state !== 'partial').length
  if (present === files.length) return []
  const desired = `${counted(files.length, 'file')} of ${about.model.source.repo} at ${shortCommit(commit)}`
  const last = job?.commit === commit ? job : null
  const wasFetched = last?.state === 'done'
  return [
    {
      field: 'model.files',
      class: wasFetched ? 'drift' : 'pending',
      desired,
      recorded: wasFetched ? desired : null,
      actual: state === 'fetching' ? 'being fetched' : `${present} of ${counted(files.length, 'file')}${endOf(verdict, last)}`,
      ...(state === 'refused' && problem !== undefined ? { note: `${problem.code}: ${problem.summary}` } : {}),
    },
  ]
}

/** How the incomplete download ended. */
function endOf({ state, problem }: JudgedModel['verdict'], job: FetchJob | null): string {
  if (state === 'failed') return `, the download failed (${problem?.code ?? ''})`
  if (state === 'stopped') return ', the download was stopped'
  return job?.state === 'working' && !job.alive ? ', the download was interrupted' : ''
}

function wrongFiles(judged: JudgedModel, job: FetchJob | null): readonly ModelFinding[] {
  const all = mismatchesOf(judged)
  const more = all.length - mostNamed
  const named = all.slice(0, mostNamed).map((one) => wrongFile(one, nameOf(judged, one.path), job))
  if (more <= 0) return named
  const rest = { field: 'model.files', class: 'drift', desired: 'as the source lists them', recorded: null } as const
  return [...named, { ...rest, actual: `${more} more files differ` }]
}

/** The class follows from what the last job fetched. */
function wrongFile({ path, bytes, digest, wanted }: Mismatch, name: string, job: FetchJob | null): ModelFinding {
  const fetched = job?.state === 'done' ? job.files.find((one) => one.path === path)?.digest : undefined
  const desired = digestWords(wanted.digest)
  const size = wanted.bytes === undefined ? '' : `, not ${wanted.bytes}`
  const values = {
    field: `model.files.${name}`,
    desired,
    actual: digest === undefined ? `${bytes} bytes${size}` : digestWords(digest),
  }
  if (fetched === undefined)
    return {
      ...values,
      class: 'drift',
      recorded: null,
      note: 'converge did not fetch it, so its origin is unknown',
    }
  const recorded = digestWords(fetched)
  if (digest !== undefined && isSame(fetched, digest)) return { ...values, class: 'pending', recorded }
  return { ...values, class: isSame(fetched, wanted.digest) ? 'drift' : 'both', recorded }
}

/** The name in the repository. */
function nameOf({ about: { model } }: JudgedModel, path: string): string {
  const folder = loadsGguf(model.kind) ? model.path.slice(0, model.path.lastIndexOf('/')) : model.path
  return path.slice(folder.length + 1)
}

function isSame(one: HubDigest, other: HubDigest): boolean {
  return one.kind === other.kind && one.hex === other.hex
}

function digestWords({ kind, hex }: HubDigest): string {
  return `${kind} ${hex.slice(0, 12)}…`
}

function shortCommit(hex: string | null): string {
  return hex === null ? 'an unknown commit' : hex.slice(0, 12)
}
