/** A planned change of a file of the user. */
export interface FileEdit {
  readonly file: string
  /** Its text as it was read; null: it must not exist. */
  readonly before: string | null
  readonly after: string
}
