/** All that completion knows of the command line, as plain data. */
export interface CommandLine {
  /** Options before a verb. */
  readonly options: readonly OptionShape[]
  readonly verbs: readonly VerbShape[]
  readonly topics: readonly Described[]
  readonly codes: readonly CodeShape[]
}

export interface Described {
  readonly name: string
  readonly about: string
}

export interface VerbShape extends Described {
  readonly options: readonly OptionShape[]
  readonly values: readonly ValueShape[]
}

export interface OptionShape {
  readonly long: string | undefined
  readonly short: string | undefined
  readonly about: string
  /** Undefined: it takes none. */
  readonly value: ValueShape | undefined
  readonly isRepeatable: boolean
  /** It is read, but not offered. */
  readonly isHidden: boolean
  /** Long names of options that it excludes. */
  readonly excludes: readonly string[]
}

/** What an option or an argument takes. */
export interface ValueShape {
  /** As in the help: `pattern` for `<pattern>`. It decides where the candidates come from. */
  readonly name: string
  readonly isOptional: boolean
  readonly isVariadic: boolean
  /** All values that are possible, if they are few. */
  readonly values: readonly string[]
}

export interface CodeShape extends Described {
  /** A refusal that an approval may overrule. */
  readonly isApprovable: boolean
}
