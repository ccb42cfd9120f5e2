import type { ServerKindName } from './names.ts'
import type { NextStep } from './next-step.ts'
import type { Problem } from './plan.ts'

/** What runs on hosts without converge, and the inventory that would describe it: the document that `adopt --json` prints. */
export interface AdoptDocument {
  readonly schema: 'converge/adopt/v1'
  /** ISO 8601. */
  readonly created_at: string
  readonly inventory: string
  readonly hosts: readonly AdoptedHost[]
  /** The files of the inventory that would change, or have changed. */
  readonly files: readonly AdoptedFile[]
  readonly written: boolean
}

export interface AdoptedHost {
  readonly host: string
  /** Why it could not be looked at. */
  readonly problem?: Problem
  readonly servers: readonly FoundServer[]
}

/** A model server that runs on a host and is not in the inventory. */
export interface FoundServer {
  readonly pid: number
  readonly program: string
  /** Null: a server of a kind that converge does not know. */
  readonly kind: ServerKindName | null
  /** What runs it, for people: `the unit llama.service`; null: nothing, as for a process that was started by hand. */
  readonly runs_from: string | null
  readonly port: number | null
  /** Path of the model as the server has it. */
  readonly model: string | null
  readonly alias: string | null
  readonly rss_bytes: number
  /** How it gets its API key; null: it has none. */
  readonly key: 'argument' | 'variable' | 'file' | null
  /** Its name in the inventory; null: it cannot be described. */
  readonly service: string | null
  /** `adopt`: as it is, without a restart. `restart`: only by a restart, which a plan would refuse without an approval. `no`: not at all. */
  readonly adoptable: 'adopt' | 'restart' | 'no'
  /** Why it cannot be adopted as it is. */
  readonly reasons: readonly AdoptReason[]
  /** Settings of its definition that change with the next definition that converge writes. */
  readonly waits: readonly { readonly field: string; readonly from: string | null; readonly to: string | null }[]
}

export interface AdoptReason {
  /** `ADOPT.STALE_FILE`, … */
  readonly code: string
  readonly why: string
  readonly next: readonly NextStep[]
}

export interface AdoptedFile {
  readonly file: string
  /** It does not exist yet, or did not before. */
  readonly is_new: boolean
  /** Unified. */
  readonly diff: string
}
