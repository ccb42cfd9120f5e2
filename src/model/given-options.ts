/** What this run is about and how it reaches its hosts, as far as the command line, or the saved plan that it names, said so. */
export interface GivenOptions {
  readonly inventory?: string
  readonly sshConfig?: string
  /** A host pattern; of a saved plan: its hosts. */
  readonly limit?: string
  readonly services?: readonly string[]
  readonly playbook?: string
  /** The path of the saved plan from which the rest was taken. */
  readonly savedPlan?: string
}
