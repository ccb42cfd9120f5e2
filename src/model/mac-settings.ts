/** One rule of newsyslog. */
export interface RotatedLog {
  readonly path: string
  /** The path is a shell pattern. */
  readonly glob: boolean
}

/** Settings by power source (`AC Power`, `Battery Power`, `UPS Power`) and pmset's name; only numbers. */
export type PowerFact = Readonly<Record<string, Readonly<Record<string, number>>>>
