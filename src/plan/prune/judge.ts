import { joinPaths } from '../../lib/posix-path.ts'
import { isUntouched } from '../../model/fetch.ts'
import type { Observed } from '../../model/observed.ts'
import type { Entry, FetchRecord, JobOrigin, PruneItem, RecordedJob, References } from '../../model/prune.ts'
import { modelOf } from './names.ts'
import { type ReferrerCase, referrerOf } from './referrers.ts'
import { standstillOf } from './standstill.ts'

export interface PruneCase extends Omit<ReferrerCase, 'references'> {
  /** The folder of converge on the host, absolute. */
  readonly root: string
  readonly records: readonly FetchRecord[]
  readonly references: Observed<References>
  /** Where prune runs: what another controller or inventory fetched may still be needed there. */
  readonly here: { readonly controller: string; readonly inventory: string }
  /** Selects downloads by the services they were fetched for; absent: all. */
  readonly selects?: (services: readonly string[]) => boolean
  /** The id of this run, once it holds the lock of the host. */
  readonly runId?: string
}

/**
 * Which files of the downloads of one host may be removed, and which are kept and why. It removes only unchanged files that a job of converge
 * fetched, and unfinished parts; and none that anything refers to, or may refer to. Pure.
 */
export function judgeRecords(one: PruneCase): readonly PruneItem[] {
  const standstill = standstillOf(one.facts, one.references, one.runId)
  return one.records
    .flatMap((record) => judgeRecord(one, record))
    .map((item) => (item.verdict === 'keep' || standstill === undefined ? item : { ...item, verdict: 'keep', ...standstill }))
}

function judgeRecord(one: PruneCase, { id, job }: FetchRecord): readonly PruneItem[] {
  const path = joinPaths(one.root, `fetch/${id}`)
  const record = { id, model: path, services: [], kind: 'record', path, bytes: 0 } as const
  if (!job.known) {
    if (one.selects !== undefined) return []
    return [{ ...record, verdict: 'keep', why: `unknown: ${job.detail ?? job.because}`, unknown: true }]
  }
  const { about, alive, entries } = job.value
  if (one.selects?.(about?.services ?? []) === false) return []
  if (about === null) return alive ? [] : [{ ...record, verdict: 'remove', why: 'only this folder is left of it' }]
  const named = { ...record, model: about.model, services: about.services }
  const why = reasonToKeep(one, job.value)
  if (entries.length === 0 && why === undefined)
    return [{ ...named, verdict: 'remove', why: 'its files are gone, and no service refers to them' }]
  const isOurs = isFetchedFrom(one.here, about)
  const items = entries.flatMap((entry) => itemsOf(job.value, entry, { why, isOurs }).map((item) => ({ ...named, ...item })))
  return withoutMarker(items)
}

/** An incomplete folder keeps its marker, so that it does not look complete. */
function withoutMarker(items: readonly PruneItem[]): readonly PruneItem[] {
  const isWhole = items.every(({ kind, verdict }) => kind !== 'file' || verdict === 'remove')
  if (isWhole) return items
  return items.map((item) =>
    item.kind === 'marker' && item.verdict === 'remove' ? { ...item, verdict: 'keep', why: 'files of the model are kept' } : item,
  )
}

/** Why nothing of a download may be removed. */
function reasonToKeep(one: PruneCase, job: RecordedJob): string | undefined {
  const { facts, host, elsewhere, here, references } = one
  const model = modelOf(job)
  if (job.about === null || model === undefined) return undefined
  if (job.alive) return 'its download is running'
  const nothingSeen: References = { nodes: {}, mentions: [], leads: [], open: [], unread: [] }
  const seen = references.known ? references.value : nothingSeen
  const referrer = referrerOf({ facts, host, elsewhere, references: seen }, job, model)
  if (referrer !== undefined) return referrer
  if (isFetchedFrom(here, job.about)) return undefined
  const { owner, controller, inventory, services } = job.about
  return `${owner} fetched it from ${inventory ?? 'an unknown inventory'} on ${controller} for ${services.join(', ')}, and may still need it there`
}

function isFetchedFrom(here: PruneCase['here'], { controller, inventory }: JobOrigin): boolean {
  return controller === here.controller && inventory === here.inventory
}

/** Why all of a download is kept; undefined: no reason. */
interface Reason {
  readonly why: string | undefined
  readonly isOurs: boolean
}

type Verdict = Pick<PruneItem, 'verdict' | 'why'>
type Judged = Verdict & Pick<PruneItem, 'kind' | 'path' | 'bytes' | 'entry'>

function itemsOf(job: RecordedJob, entry: Entry, reason: Reason): readonly Judged[] {
  const { path } = entry
  const item = { path, bytes: entry.tree?.bytes ?? entry.bytes, entry }
  const unfinished = unfinishedOf(job, entry)
  if (unfinished !== undefined) return [{ ...item, ...judgeUnfinished(job, entry, unfinished, reason), kind: unfinished.kind }]
  if (!job.fetched.some((one) => one.path === path)) return []
  const kept = reason.why ?? changedSince(job, entry)
  const verdict: Verdict =
    kept === undefined ? { verdict: 'remove', why: 'no service refers to it' } : { verdict: 'keep', why: kept }
  return [{ ...item, ...verdict, kind: 'file' }]
}

function judgeUnfinished(
  job: RecordedJob,
  { type, tree, path }: Entry,
  unfinished: UnfinishedEntry,
  { why, isOurs }: Reason,
): Verdict {
  if (why !== undefined && !(isOurs && isOutdated(job, unfinished))) return { verdict: 'keep', why }
  const isUsual = type === 'file' || (type === 'folder' && tree !== undefined && path.endsWith('.part.hub'))
  if (!isUsual) return { verdict: 'keep', why: 'it is neither a file nor a download folder' }
  if (why === undefined) return { verdict: 'remove', why: 'part of an abandoned download' }
  return { verdict: 'remove', why: 'part of a revision that was never completely fetched' }
}

/** Why a file may differ from the one that a job fetched. */
function changedSince({ fetched, digests }: RecordedJob, entry: Entry): string | undefined {
  const stamp = fetched.find(({ path }) => path === entry.path)?.stamp
  const hashed = digests.find(({ path }) => path === entry.path)
  if (stamp === undefined || stamp === null || hashed === undefined) return 'the record does not identify the fetched file'
  if (entry.type !== 'file') return 'it changed since it was fetched: it is not a regular file'
  const isMade = stamp.bytes === entry.bytes && stamp.inode === entry.inode && stamp.modified === entry.modified
  return isMade && isUntouched(entry, hashed) ? undefined : 'it changed since it was fetched'
}

interface UnfinishedEntry {
  readonly kind: 'partial' | 'marker'
  /** For a partial file: its final path, and the first digits of its expected digest. */
  readonly of?: { readonly path: string; readonly short: string }
}

/** An entry whose name jobs use for unfinished files; undefined: it has no such name. */
function unfinishedOf({ about, wants, fetched }: RecordedJob, { path }: Entry): UnfinishedEntry | undefined {
  if (about !== null && path === joinPaths(about.model, 'converge.part')) return { kind: 'marker' }
  const [, file, short] = /^(.+)\.([0-9a-f]{8})\.(?:part(?:\.(?:hub|rest|probe))?|piece-\d{1,15})$/.exec(path) ?? []
  if (file === undefined || short === undefined) return undefined
  if (![...wants, ...fetched].some((one) => one.path === file)) return undefined
  return { kind: 'partial', of: { path: file, short } }
}

/** Whether the final file is complete in another revision, and the last job did not fetch the revision of this part. */
function isOutdated({ alive, state, wants, entries, digests }: RecordedJob, { of }: UnfinishedEntry): boolean {
  if (alive || state !== 'done' || of === undefined) return false
  if (wants.some(({ path, digest }) => path === of.path && digest.hex.startsWith(of.short))) return false
  const entry = entries.find(({ path }) => path === of.path)
  const hashed = digests.find(({ path }) => path === of.path)
  return entry !== undefined && hashed !== undefined && hashed.inode === entry.inode && hashed.changed === entry.changed
}
