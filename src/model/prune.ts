import type { FetchJob, FoundFile, HashedFile, WantedFile } from './fetch.ts'
import type { Observed } from './observed.ts'

/** What a host keeps of one download: a folder `fetch/ID` in converge's folder there. */
export interface FetchRecord {
  /** 16 hexadecimal digits. */
  readonly id: string
  readonly job: Observed<RecordedJob>
}

export interface RecordedJob {
  /** Null: nothing of the record is left but its folder. */
  readonly about: JobOrigin | null
  /** Its process runs, its lock is held, or it is being started. */
  readonly alive: boolean
  readonly state: FetchJob['state'] | null
  /** What it was to fetch. */
  readonly wants: readonly Pick<WantedFile, 'path' | 'digest'>[]
  /** What jobs gave its name here, the last of each path. */
  readonly fetched: readonly FetchedFile[]
  /** The last of each path. */
  readonly digests: readonly HashedFile[]
  /** What lies at those paths now, and beside them under names of converge. */
  readonly entries: readonly Entry[]
}

/** For whom and by whom the last job was started. */
export interface JobOrigin {
  readonly model: string
  readonly services: readonly string[]
  readonly owner: string
  readonly controller: string
  /** Absolute, on that controller; null: the record does not say. */
  readonly inventory: string | null
}

/** As it was when it was given its name; `stamp` null: the record does not say. */
export interface FetchedFile {
  readonly path: string
  readonly stamp: Pick<FoundFile, 'bytes' | 'inode' | 'modified'> | null
}

/** What has a name, itself: no link is followed. */
export interface Entry extends FoundFile {
  readonly type: 'file' | 'folder' | 'other'
  /** Number of the device, decimal. */
  readonly device: string
  /** Of a folder that may be looked through: bytes of all files in it, and a checksum over their names, sizes and times. */
  readonly tree?: { readonly bytes: number; readonly sum: string }
}

/** What on a host is asked about: whether anything refers to files of models. */
export interface ReferenceQuestion {
  /** What definitions and processes would call them: ends of paths, or `/NAME` of a folder. */
  readonly names: readonly string[]
  /** Where these lead is told. Absolute. */
  readonly paths: readonly string[]
  /** Files that somebody may have open. */
  readonly files: readonly Pick<Entry, 'path' | 'device' | 'inode'>[]
  /** Definitions beside those in the usual places. Absolute. */
  readonly definitions: readonly string[]
}

/** `DEVICE:INODE`: the same file or folder, whatever it is called. */
export type NodeId = string

/** What refers to files of models on a host, as far as it can be seen. */
export interface References {
  /** Of asked paths that lead somewhere. */
  readonly nodes: Readonly<Record<string, NodeId>>
  readonly mentions: readonly Mention[]
  /** Paths in definitions that lead to asked ones. */
  readonly leads: readonly Lead[]
  readonly open: readonly { readonly pid: number; readonly path: string }[]
  /** Definitions that may not be read. */
  readonly unread: readonly string[]
}

/** An asked name in a definition, or in the arguments of a process. */
export interface Mention {
  readonly by: { readonly definition: string } | { readonly pid: number }
  readonly name: string
  /** Of the whole path around it, where that leads somewhere. */
  readonly node?: NodeId
}

export interface Lead {
  readonly definition: string
  readonly node: NodeId
  /** It is the value of something that is called after models: `--models-dir`, `OLLAMA_MODELS`. */
  readonly isOption: boolean
}

/** `file`: a whole one; `partial`: of an incomplete download; `marker`: marks a folder as incomplete; `record`: what the host keeps about a download. */
export type PruneKind = 'file' | 'partial' | 'marker' | 'record'

/** One thing that may go, or has to stay. */
export interface PruneItem {
  /** Of the download that it belongs to. */
  readonly id: string
  /** `model.path` of what it was fetched for. */
  readonly model: string
  readonly services: readonly string[]
  readonly kind: PruneKind
  /** Of a `record` its folder. */
  readonly path: string
  readonly bytes: number
  readonly verdict: 'remove' | 'keep'
  /** Why it may go, or has to stay. */
  readonly why: string
  /** It is kept only because something is not known. */
  readonly unknown?: true
  /** As it was seen; absent of a `record`. */
  readonly entry?: Entry
}
