/** The text of `converge help TOPIC` and of its page in `docs/reference/`: one source for both. Texts may hold `code`. */
export type Topic = readonly TopicBlock[]

export type TopicBlock = string | TopicTable | TopicCode

export interface TopicTable {
  /** The first column is code. */
  readonly head: readonly [string, string]
  readonly rows: readonly (readonly [string, string])[]
}

export interface TopicCode {
  readonly language: 'sh' | 'yaml'
  readonly code: string
}
