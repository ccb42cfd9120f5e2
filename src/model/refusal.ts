import type { NextStep } from './next-step.ts'
import type { SourceRef } from './source.ts'

/** A rule's no, or a warning of the same shape. Data, never thrown. */
export interface Refusal {
  readonly code: string
  /** Absent where it concerns the host as a whole. */
  readonly service?: string
  /** Ids of the actions it holds back; empty for warnings. */
  readonly actions: readonly string[]
  /** Terse, no names in it, learnable by sight. */
  readonly summary: string
  /** Full sentences, with names: what is wrong, why it matters. */
  readonly why: string
  /** Facts and inventory lines the rule looked at. */
  readonly evidence: readonly string[]
  /** The key of the inventory that causes it, else what is nearest to it; absent where nothing of the inventory does. */
  readonly at?: SourceRef
  /** What a person can do, most likely first; commands are copyable. */
  readonly next: readonly NextStep[]
  readonly consentable: boolean
  /** Set when an approval overruled it: it is listed, and blocks no longer. */
  readonly consent?: { readonly reason: string; readonly until?: string }
}
