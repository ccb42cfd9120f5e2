import type { NextStep } from './next-step.ts'

/**
 * An observation on a host, or why it is unknown. There is deliberately no default: *not installed*, *not permitted* and *truly empty* are three
 * different things, and a decision that needs an unknown fact is refused.
 */
export type Observed<T> = Known<T> | Unknown

export interface Known<T> {
  readonly known: true
  readonly value: T
}

export interface Unknown {
  readonly known: false
  readonly because: UnknownReason
  /** One line for people: the tool's own message, if any. Never a secret. */
  readonly detail?: string
}

/** In a facts snapshot: what the host was not asked at that time. Observing it again without a new snapshot does not help. */
export interface NotAskedThen extends Unknown {
  readonly because: 'not-gathered'
  readonly detail: string
  /** How to find out. */
  readonly remedy: NextStep
}

export type UnknownReason =
  | 'unreachable'
  | 'no-such-tool'
  /** The tool that reports it is installed but does not run. */
  | 'not-running'
  | 'not-permitted'
  | 'timed-out'
  | 'unreadable'
  /** No user is logged in at the screen, so what only such a session has does not exist now. */
  | 'no-session'
  | 'not-gathered'
  | 'wrong-platform'

export function known<T>(value: T): Known<T> {
  return { known: true, value }
}

export function unknown(because: UnknownReason, detail?: string): Unknown {
  return detail === undefined ? { known: false, because } : { known: false, because, detail }
}

/** Applies `f` to a known value; an unknown stays the same unknown. */
export function mapObserved<T, U>(observed: Observed<T>, f: (value: T) => U): Observed<U> {
  return observed.known ? known(f(observed.value)) : observed
}
