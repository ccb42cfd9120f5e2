/** A program that downloads a model. */
export interface DownloadJob {
  readonly pid: number
  readonly start: string
  readonly argv: readonly string[]
}
