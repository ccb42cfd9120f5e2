import type { Problem } from './plan.ts'
import type { ActionResult, SmokeResult } from './report.ts'

/** Events for progress displays. The engine emits them without knowing its listeners. */
export type RunEvent =
  | { readonly type: 'phase'; readonly phase: 'gather' | 'apply' | 'verify' | 'second-plan'; readonly hosts: readonly string[] }
  /** One batch of a play; `number` counts from 1. `hosts`: those with something to do, or that cannot be reached. */
  | {
      readonly type: 'batch-started'
      readonly play: string
      readonly number: number
      readonly count: number
      readonly hosts: readonly string[]
    }
  | { readonly type: 'host-started'; readonly host: string }
  | { readonly type: 'host-note'; readonly host: string; readonly note: string }
  | {
      readonly type: 'host-finished'
      readonly host: string
      readonly ok: boolean
      readonly note: string
      readonly problem?: Problem
    }
  | { readonly type: 'action-started'; readonly host: string; readonly action: string; readonly reason: string }
  /** `server`: the step starts, stops or replaces one. */
  | {
      readonly type: 'step-started'
      readonly host: string
      readonly action: string
      readonly label: string
      readonly server?: true
    }
  /** Nothing is done yet: the server is processing a request. */
  | { readonly type: 'waiting'; readonly host: string; readonly action: string; readonly note: string }
  | { readonly type: 'action-finished'; readonly host: string; readonly result: ActionResult }
  | { readonly type: 'smoke-progress'; readonly host: string; readonly service: string; readonly note: string }
  | { readonly type: 'smoke-finished'; readonly host: string; readonly result: SmokeResult }
  /** Files that jobs on hosts fetch; `file` in the following events is an index into them, from 0. */
  | { readonly type: 'fetch-started'; readonly files: readonly FetchedFile[] }
  | ({ readonly type: 'file-progress'; readonly file: number } & FileProgress)
  | { readonly type: 'finished' }

export interface FetchedFile {
  readonly host: string
  readonly service: string
  /** Without its folders. */
  readonly name: string
  readonly bytes: number
}

/** Progress of a file, as observed on its host. */
export interface FileProgress {
  readonly state: 'waiting' | 'fetching' | 'hashing' | 'done' | 'failed' | 'stopped'
  /** Bytes present, or, while it is hashed, bytes hashed. */
  readonly have: number
  /** Over the last minute; absent: not measurable yet. */
  readonly bytesPerS?: number
  /** Seconds until the file is complete at that rate. */
  readonly etaS?: number
  /** Why it failed, or why its progress is unknown. */
  readonly note?: string
}

export type Emit = (event: RunEvent) => void
