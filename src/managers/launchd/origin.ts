import type { FoundProcess, Origin } from '../manager.ts'

/** The agent or daemon that a process of a Mac belongs to. */
export function originOf({ surveyed }: FoundProcess): Origin | undefined {
  const { agent, daemon } = surveyed ?? {}
  if (agent !== undefined) {
    const origin = { words: `the agent ${agent}`, fields: { label: agent } }
    return agent.startsWith('homebrew.mxcl.')
      ? { ...origin, unmanageable: 'it belongs to Homebrew (`brew services`), which would write its property list again' }
      : origin
  }
  return daemon === undefined
    ? undefined
    : {
        words: `the daemon ${daemon}`,
        fields: {},
        unmanageable: 'it is a daemon of the system, and converge manages agents of the login account',
      }
}
