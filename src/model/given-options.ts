/** The target of this run and its connection options, as given on the command line or in the saved plan that it names. */
export interface GivenOptions {
  readonly inventory?: string
  readonly sshConfig?: string
  /** A host pattern; for a saved plan: its hosts. */
  readonly limit?: string
  readonly services?: readonly string[]
  /** As given; absent: none, or it is in the environment of the next command too. */
  readonly shard?: string
  readonly playbook?: string
  /** The saved plan that the rest was taken from. */
  readonly savedPlan?: string
  /** `start`, `stop`, `restart` or `use`, with its arguments and how long it lasts. */
  readonly operation?: readonly string[]
}
