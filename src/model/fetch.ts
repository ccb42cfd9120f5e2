import type { FetcherName } from './fleet.ts'
import type { HubDigest } from './hub-file.ts'

/** A file of a model as its hub lists it, and where it belongs on a host. */
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
  /** Of the model's path; the folder of the job on the host is called so. 16 hexadecimal digits. */
  readonly id: string
  /** `model.path`: a file, the first of its parts, or a folder. */
  readonly model: string
  readonly services: readonly string[]
  /** Base URL without a slash at its end. */
  readonly hub: string
  readonly repo: string
  /** 40 hexadecimal digits. */
  readonly commit: string
  /** `none`: nothing is asked of the hub, because its files come from other hosts. */
  readonly fetcher: FetcherName | 'none'
  /** `model.source.files`, which selected them. */
  readonly selection: readonly string[]
  /** In the order in which they are fetched. */
  readonly files: readonly WantedFile[]
}

/** What a host has of a model that comes from a hub. */
export interface FetchFact {
  /** Regular files at the model's path and beside it that may be of it, partial ones too. */
  readonly files: readonly FoundFile[]
  /** What was hashed there, and as what it was seen then. */
  readonly digests: readonly HashedFile[]
  /** The last job that fetched it; null: there was none, or its record is damaged. */
  readonly job: FetchJob | null
  /** What a job would find there to fetch and to hash with; absent: the host does not say. */
  readonly tools?: readonly FetchTool[]
  /** What the hub's own tool downloaded there, by its own records; absent: nothing. */
  readonly listed?: readonly ListedFile[]
  /** The record of that job cannot be read, and it is not running. */
  readonly damaged?: true
}

/** Equal stamps of one path mean: the file was not touched. Seconds since the epoch by the host's clock. */
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

/** A file as the hub's own tool wrote it down when it fetched it. What lies there now may be another. */
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
  /** `working` and not `alive`: it was killed, or its host was restarted. */
  readonly state: 'working' | 'done' | 'failed' | 'stopped'
  /** Whether its process runs. */
  readonly alive: boolean
  /** Of one that failed: why, a word of ours. */
  readonly reason?: FetchFailure
  /** Of one that failed or works: the file it was at. */
  readonly path?: string
  /** Bytes of that file that were hashed so far, while it is verified; absent: it is not, or cannot be told. */
  readonly hashed?: number
  /** Id of the run that began it; absent: the host does not say. */
  readonly runId?: string
  readonly repo: string
  readonly commit: string
  /** `model.source.files`, as it was then; absent: the host does not say. */
  readonly selection?: readonly string[]
  /** What it was to fetch. */
  readonly files: readonly JobFile[]
}

/** The name is absent in records of jobs that did not write it down. */
export type JobFile = Pick<WantedFile, 'path' | 'bytes' | 'digest'> & Partial<Pick<WantedFile, 'name'>>

/** Why a job ended without the model. The words for people are in `report/fetch-text.ts`. */
export const fetchFailures = [
  /** Nobody answered for hours, or only with errors that may pass. */
  'unreachable',
  /** 401 or 403. */
  'denied',
  /** The same, because the account has not accepted the terms. */
  'gated',
  /** 404. */
  'absent',
  /** What answers does not speak as a hub does: no range, another length, a page of a proxy. */
  'unreadable',
  /** The disk is full. */
  'full',
  /** What came has another digest. */
  'mismatch',
  /** What lies there has another digest. */
  'other',
  /** A file could not be hashed. */
  'unread',
  /** There is neither curl nor a wget that will do, or nothing that takes a digest. */
  'tools',
  /** A file could not be written for another reason. */
  'unwritable',
  /** Another job works on the same file. */
  'busy',
  /** It was to come from other hosts, and not all of it came. */
  'neighbour',
] as const

export type FetchFailure = (typeof fetchFailures)[number]

/** Where a file is put together, and where a part of it arrives that begins at an offset. The digest keeps revisions apart. */
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
    // What begins behind the end of the others joins nothing.
    .filter(({ from }) => from <= whole)
    .map(({ from, bytes }) => from + bytes)
  return Math.max(whole, ...ends)
}

/** Whether a digest that was taken of what lies at the file's path is that of the file, and it was not touched since. */
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

/** Whether a file is as it was when it was hashed. */
export function isUntouched(found: FoundFile, hashed: FoundFile): boolean {
  return (
    hashed.bytes === found.bytes &&
    hashed.inode === found.inode &&
    hashed.modified === found.modified &&
    hashed.changed === found.changed
  )
}

/**
 * `complete`: every digest is right. `fetching`: its job works. `due`: something is to be fetched or verified, and nothing works on it.
 * `stopped`: by a person. `failed`: its job gave up. `refused`: it may not be fetched. `unknown`: nobody can tell.
 */
export type FetchedState = 'complete' | 'fetching' | 'due' | 'stopped' | 'failed' | 'refused' | 'unknown'
