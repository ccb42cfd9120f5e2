import type { FetcherName } from './fleet.ts'
import type { HubDigest } from './hub-file.ts'

/** A file of a model as its hub lists it, and its path on a host. */
export interface WantedFile {
  /** In the repository. */
  readonly name: string
  /** On the host, absolute: what a server loads. */
  readonly path: string
  readonly bytes: number
  readonly digest: HubDigest
}

/** The files of one model at one commit, for all services of a host that load it. */
export interface FetchOrder {
  /** Derived from the model's path; names the job's folder on the host. 16 hexadecimal digits. */
  readonly id: string
  /** `model.path`: a file, the first of its parts, or a folder. */
  readonly model: string
  readonly services: readonly string[]
  /** Base URL without a trailing slash. */
  readonly hub: string
  readonly repo: string
  /** 40 hexadecimal digits. */
  readonly commit: string
  /** `none`: the hub is not used, because its files come from other hosts. */
  readonly fetcher: FetcherName | 'none'
  /** `model.source.files`, which selected them. */
  readonly selection: readonly string[]
  /** In the order of fetching. */
  readonly files: readonly WantedFile[]
}

/** What a host has of a model that comes from a hub. */
export interface FetchFact {
  /** Regular files at the model's path and beside it that may belong to it, including partial ones. */
  readonly files: readonly FoundFile[]
  /** Files that were hashed there, with their stamps at that time. */
  readonly digests: readonly HashedFile[]
  /** The last job that fetched it; null: none, or its record is damaged. */
  readonly job: FetchJob | null
  /** Tools for fetching and hashing that a job would find; absent: not reported. */
  readonly tools?: readonly FetchTool[]
  /** What the hub's own tool downloaded, by its own records; absent: nothing. */
  readonly listed?: readonly ListedFile[]
  /** The job's record is unreadable, and it is not running. */
  readonly damaged?: true
}

/** Equal stamps of one path mean that the file is unchanged. Seconds since the epoch by the host's clock. */
export interface FoundFile {
  readonly path: string
  readonly bytes: number
  readonly inode: string
  readonly modified: number
  readonly changed: number
}

/** `wget`: that of BusyBox. */
export const fetchTools = ['curl', 'wget', 'hf', 'huggingface-cli', 'openssl', 'sha256sum', 'shasum'] as const

export type FetchTool = (typeof fetchTools)[number]

/** A file as the hub's own tool recorded it. The file there now may be another one. */
export interface ListedFile {
  readonly path: string
  readonly commit: string
  /** 64 hexadecimal digits. */
  readonly sha256: string
}

export interface HashedFile extends FoundFile {
  readonly digest: HubDigest
}

export interface FetchJob {
  /** `working` but not `alive`: it was killed, or its host was restarted. */
  readonly state: 'working' | 'done' | 'failed' | 'stopped'
  /** Whether its process runs. */
  readonly alive: boolean
  /** Why it failed, as one of our codes. */
  readonly reason?: FetchFailure
  /** The file that it works on, or failed at. */
  readonly path?: string
  /** Bytes of that file hashed so far, while it is verified; absent: it is not, or unknown. */
  readonly hashed?: number
  /** Id of the run that started it; absent: not recorded. */
  readonly runId?: string
  readonly repo: string
  readonly commit: string
  /** `model.source.files` at that time; absent: not recorded. */
  readonly selection?: readonly string[]
  /** The files to fetch. */
  readonly files: readonly JobFile[]
}

/** The name is absent in older records. */
export type JobFile = Pick<WantedFile, 'path' | 'bytes' | 'digest'> & Partial<Pick<WantedFile, 'name'>>

/** Why a job ended without the model. The words for people are in `report/fetch-text.ts`. */
export const fetchFailures = [
  /** No answer for hours, or only temporary errors. */
  'unreachable',
  /** 401 or 403. */
  'denied',
  /** The same, because the account has not accepted the terms. */
  'gated',
  /** 404. */
  'absent',
  /** The answer is not a hub's: no range, another length, a page of a proxy. */
  'unreadable',
  /** The disk is full. */
  'full',
  /** The download has another digest. */
  'mismatch',
  /** The existing file has another digest. */
  'other',
  /** A file could not be hashed. */
  'unread',
  /** No usable curl or wget, or no tool for digests. */
  'tools',
  /** A file could not be written for another reason. */
  'unwritable',
  /** Another job works on the same file. */
  'busy',
  /** Other hosts should have supplied it, but it did not arrive completely. */
  'neighbour',
] as const

export type FetchFailure = (typeof fetchFailures)[number]

/** The file being assembled, and the prefix of pieces that start at an offset. The digest separates revisions. */
export function partialPaths({ path, digest }: Pick<WantedFile, 'path' | 'digest'>): {
  readonly part: string
  readonly piece: string
} {
  const stem = `${path}.${digest.hex.slice(0, 8)}`
  return { part: `${stem}.part`, piece: `${stem}.piece-` }
}

/** Bytes of a file that have arrived on its host, in its partial files. */
export function arrivedBytes(
  file: Pick<WantedFile, 'path' | 'digest'>,
  found: readonly Pick<FoundFile, 'path' | 'bytes'>[],
): number {
  const { part, piece } = partialPaths(file)
  const whole = found.find(({ path }) => path === part)?.bytes ?? 0
  const ends = found
    .filter(({ path }) => path.startsWith(piece) && /^\d{1,15}$/.test(path.slice(piece.length)))
    .map(({ path, bytes }) => ({ from: Number(path.slice(piece.length)), bytes }))
    // Pieces beyond the end of the others do not extend the file.
    .filter(({ from }) => from <= whole)
    .map(({ from, bytes }) => from + bytes)
  return Math.max(whole, ...ends)
}

/** Whether the file at that path was hashed with this digest and is unchanged since. */
export function isProved({ path, digest }: Pick<WantedFile, 'path' | 'digest'>, { files, digests }: FetchFact): boolean {
  const found = files.find((one) => one.path === path)
  const hashed = digests.find((one) => one.path === path)
  return (
    found !== undefined &&
    hashed !== undefined &&
    hashed.digest.kind === digest.kind &&
    hashed.digest.hex === digest.hex &&
    isUntouched(found, hashed)
  )
}

/** Whether a file is unchanged since it was hashed. */
export function isUntouched(found: FoundFile, hashed: FoundFile): boolean {
  return (
    hashed.bytes === found.bytes &&
    hashed.inode === found.inode &&
    hashed.modified === found.modified &&
    hashed.changed === found.changed
  )
}

/**
 * `complete`: all digests match. `fetching`: its job works. `due`: something has to be fetched or verified, and no job works on it. `stopped`: by
 * a person. `failed`: its job gave up. `refused`: it must not be fetched. `unknown`: cannot be determined.
 */
export type FetchedState = 'complete' | 'fetching' | 'due' | 'stopped' | 'failed' | 'refused' | 'unknown'
