/** One rule of newsyslog. */
export interface RotatedLog {
  readonly path: string
  /** The path is a pattern of the shell. */
  readonly glob: boolean
}

/** What is set, by power source (`AC Power`, `Battery Power`, `UPS Power`) and pmset's name of the setting; numbers alone. */
export type PowerFact = Readonly<Record<string, Readonly<Record<string, number>>>>
