export interface DiskFact {
  readonly freeBytes: number
  readonly totalBytes: number
  /** What is mounted (`/dev/…`, `server:/share`, `//user@server/share`) and where. */
  readonly source?: string
  readonly mount?: string
}
