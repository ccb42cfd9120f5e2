import type { WantedState } from './names.ts'

/** What a person asks of one service by name, apart from the inventory. */
export interface Operation {
  readonly verb: OperationVerb
  /**
   * How long its state lasts; absent: the next apply does what the inventory says, and an override of the same state goes on; null: that ends,
   * too. Never with `restart`.
   */
  readonly override?: Omit<Override, 'state'> | null
  /** Why, in the words of the person. */
  readonly reason?: string
}

export type OperationVerb = 'start' | 'stop' | 'restart'

/** By `host/service`. */
export type Operations = ReadonlyMap<string, Operation>

/** A state that a person asked for in place of the inventory's. It is in the host's record of the service, so that every run sees it. */
export interface Override {
  readonly state: 'running' | 'stopped'
  /** ISO 8601, or an end that is no time. */
  readonly until: string
  /** `user@machine`. */
  readonly by: string
  /** ISO 8601; when it was asked for. */
  readonly since: string
  /** Why, in the words of the person. */
  readonly reason?: string
}

/** Ends of an override that are no times: the next apply of the service, or a `converge start`, `stop` or `use` that says otherwise. */
export const openEnds = ['next-apply', 'revert'] as const

/** An override that holds, and what the inventory says. */
export interface ActiveOverride extends Override {
  readonly inventory: WantedState
}

/** What a person may say in an override, which is kept on the host: one line of at most 200 characters. */
export function isOverrideWords(text: string): boolean {
  return text.length <= 200 && !/\p{Cc}/u.test(text)
}

/** Field of a change to an override, which affects no server. */
export const overrideField = 'override'
