import type { NextStep } from './next-step.ts'
import type { SourceRef } from './source.ts'

/** A rule's refusal, or a warning of the same shape. Data, never thrown. */
export interface Refusal {
  readonly code: string
  /** Absent if it concerns the whole host. */
  readonly service?: string
  /** Ids of the actions it holds back; empty for warnings. */
  readonly actions: readonly string[]
  /** Short, without names, recognisable at a glance. */
  readonly summary: string
  /** Full sentences, with names: what is wrong, why it matters. */
  readonly why: string
  /** Facts and inventory lines that the rule used. */
  readonly evidence: readonly string[]
  /** The responsible key in the inventory, or the nearest one; absent if the inventory is not involved. */
  readonly at?: SourceRef
  /** What the user can do, most likely first; commands can be copied. */
  readonly next: readonly NextStep[]
  readonly consentable: boolean
  /** Set when an approval overruled it: it is listed, and blocks no longer. */
  readonly consent?: { readonly reason: string; readonly until?: string }
}
