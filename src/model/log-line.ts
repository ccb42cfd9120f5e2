/** One line of a server's log. */
export interface LogLine {
  /** It may have control characters, and keys that its host does not know. */
  readonly text: string
  /** When it was written, as its source has it: ISO 8601. Absent: the source has no times. */
  readonly time?: string
}

/** A line as `converge logs --json` prints it. */
export interface LogLineDocument extends LogLine {
  readonly schema: 'converge/log-line/v1'
  readonly host: string
  readonly service: string
}
