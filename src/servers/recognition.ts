import type { Invocation } from './invocation.ts'

/** How to recognise processes of a kind: by full command lines, parents and children; never by a name alone. */
export interface Recognition {
  /** Whether a child process does the work, and holds the model's memory. */
  readonly hasEngine: boolean
  /** Whether other programs bundle such a server and start it for themselves. */
  readonly comesWithOthers: boolean
  /** Whether a process is a server of this kind. */
  readonly isServer: (process: SeenProcess) => boolean
  /** Whether the name of a program is enough, without being named in the inventory. */
  readonly isKnownByName: (path: string) => boolean
  /** The name of the program, for people. */
  readonly programName: (invocation: Invocation) => string
}

export interface SeenProcess {
  readonly invocation: Invocation
  /** The inventory names its program as one of this kind. */
  readonly isNamed: boolean
  /** It is known to be the server of another program. */
  readonly isRunner: () => boolean
  /** Command lines of its children. */
  readonly children: () => readonly (readonly string[])[]
}
