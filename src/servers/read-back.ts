/** A server as it was started: from a process, a container or a definition. */
export interface StartedServer {
  /** Its command line with program and interpreter. Keys show as `***`. */
  readonly argv: readonly string[]
  /** Its environment, as far as known. Keys are digests or `***`. Undefined: unreadable. */
  readonly env: Readonly<Record<string, string>> | undefined
  /**
   * Whether each variable was set for this server, as in a definition. Otherwise a process may have inherited it, and only variables that the
   * kind knows count.
   */
  readonly ownEnv?: boolean
}

/** The fields of the inventory that describe a server as it was started: the inverse of `launch`. */
export interface ReadBack {
  /** What the server was given, as an inventory file has it: `model: { path }`, `ctx_size`, `extra_args`, `env`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** How it gets its API key. Absent: it has none. */
  readonly key?: KeyOrigin
  /**
   * Fields that every launch renders and the server was not given, so that the program's own default applies. If its environment is unreadable, a
   * variable may still set them.
   */
  readonly unstated: readonly string[]
  /** What the inventory cannot express. */
  readonly problems: readonly ReadBackProblem[]
}

export interface KeyOrigin {
  readonly by: 'argument' | 'variable' | 'file'
  /** The flag or variable. */
  readonly name: string
  /** The key file, as the server sees it. */
  readonly path?: string
}

export interface ReadBackProblem {
  /** The word or words, without secrets: `--ctx-size 0`. */
  readonly word: string
  /** Why, in the middle of a sentence. */
  readonly why: string
  /** The field that it concerns. Who knows its value otherwise can set it. Absent: no field helps. */
  readonly field?: string
}
