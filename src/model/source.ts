/** A place in a file people wrote; line and column count from 1. `file` is as given on the command line or relative to it. */
export interface SourceRef {
  readonly file: string
  readonly line: number
  readonly column: number
}
