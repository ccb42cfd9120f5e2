import type { Invocation } from './invocation.ts'

/** How the processes of a kind are recognised: by whole command lines, parents and children; never by a name alone. */
export interface Recognition {
  /** Whether a child of the server does its work, and holds what the model takes. */
  readonly hasEngine: boolean
  /** Whether other programs bring such a server along and start it for themselves. */
  readonly comesWithOthers: boolean
  /** Whether a process is a server of this kind. */
  readonly isServer: (process: SeenProcess) => boolean
  /** Whether a program at this path is taken for one although no inventory names it. */
  readonly isKnownByName: (path: string) => boolean
  /** For people: what the program is called. */
  readonly programName: (invocation: Invocation) => string
}

export interface SeenProcess {
  readonly invocation: Invocation
  /** The inventory names its program as one of this kind. */
  readonly isNamed: boolean
  /** It is known to be a server of another program. */
  readonly isRunner: () => boolean
  /** Command lines of its children. */
  readonly children: () => readonly (readonly string[])[]
}
