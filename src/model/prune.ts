import type { FetchJob, FoundFile, HashedFile, WantedFile } from './fetch.ts'
import type { Observed } from './observed.ts'

/** A host's record of one download: a folder `fetch/ID` in converge's folder there. */
export interface FetchRecord {
  /** 16 hexadecimal digits. */
  readonly id: string
  readonly job: Observed<RecordedJob>
}

export interface RecordedJob {
  /** Null: only the folder of the record is left. */
  readonly about: JobOrigin | null
  /** Its process runs, its lock is held, or it is starting. */
  readonly alive: boolean
  readonly state: FetchJob['state'] | null
  /** The files to fetch. */
  readonly wants: readonly Pick<WantedFile, 'path' | 'digest'>[]
  /** Files that jobs named here, the last of each path. */
  readonly fetched: readonly FetchedFile[]
  /** The last of each path. */
  readonly digests: readonly HashedFile[]
  /** What is at those paths now, and beside them under names of converge. */
  readonly entries: readonly Entry[]
}

/** On whose behalf the last job was started. */
export interface JobOrigin {
  readonly model: string
  readonly services: readonly string[]
  readonly owner: string
  readonly controller: string
  /** Absolute, on that controller; null: not recorded. */
  readonly inventory: string | null
}

/** A file when it was named; `stamp` null: not recorded. */
export interface FetchedFile {
  readonly path: string
  readonly stamp: Pick<FoundFile, 'bytes' | 'inode' | 'modified'> | null
}

/** An entry itself: links are not followed. */
export interface Entry extends FoundFile {
  readonly type: 'file' | 'folder' | 'other'
  /** Number of the device, decimal. */
  readonly device: string
  /** For a readable folder: bytes of all files in it, and a checksum over their names, sizes and times. */
  readonly tree?: { readonly bytes: number; readonly sum: string }
}

/** The question to a host whether anything refers to model files. */
export interface ReferenceQuestion {
  /** Names that definitions and processes would use: ends of paths, or `/NAME` for a folder. */
  readonly names: readonly string[]
  /** Paths to resolve. Absolute. */
  readonly paths: readonly string[]
  /** Files that may be open. */
  readonly files: readonly Pick<Entry, 'path' | 'device' | 'inode'>[]
  /** Definitions outside of the usual places. Absolute. */
  readonly definitions: readonly string[]
}

/** `DEVICE:INODE`: the same file or folder under any name. */
export type NodeId = string

/** What refers to model files on a host, as far as it is visible. */
export interface References {
  /** The targets of asked paths. */
  readonly nodes: Readonly<Record<string, NodeId>>
  readonly mentions: readonly Mention[]
  /** Paths in definitions that resolve to asked ones. */
  readonly leads: readonly Lead[]
  readonly open: readonly { readonly pid: number; readonly path: string }[]
  /** Unreadable definitions. */
  readonly unread: readonly string[]
}

/** An asked name in a definition, or in the arguments of a process. */
export interface Mention {
  readonly by: { readonly definition: string } | { readonly pid: number }
  readonly name: string
  /** The target of the whole path around it, if it exists. */
  readonly node?: NodeId
}

export interface Lead {
  readonly definition: string
  readonly node: NodeId
  /** It is the value of an option named after models: `--models-dir`, `OLLAMA_MODELS`. */
  readonly isOption: boolean
}

/** `file`: a complete one; `partial`: of an incomplete download; `marker`: marks a folder as incomplete; `record`: the host's record of a download. */
export type PruneKind = 'file' | 'partial' | 'marker' | 'record'

/** One item that may be removed, or has to stay. */
export interface PruneItem {
  /** Id of its download. */
  readonly id: string
  /** `model.path` that it was fetched for. */
  readonly model: string
  readonly services: readonly string[]
  readonly kind: PruneKind
  /** For a `record`, its folder. */
  readonly path: string
  readonly bytes: number
  readonly verdict: 'remove' | 'keep'
  /** Why it may be removed, or has to stay. */
  readonly why: string
  /** It is kept only because something is unknown. */
  readonly unknown?: true
  /** As observed; absent for a `record`. */
  readonly entry?: Entry
}
