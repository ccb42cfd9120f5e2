/** A request, and what was sent for it so far. */
export interface Asked {
  readonly server: 'hub' | 'cdn' | 'elsewhere'
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly range: string | undefined
  readonly authorization: string | undefined
  /** `org/coder/model.gguf`, where content of it was sent. */
  readonly file: string | undefined
  readonly status: number | undefined
  /** Where in the file the body started. */
  readonly from: number
  /** Bytes of the body that went to the socket; a reader that was killed may have had some megabytes fewer. */
  readonly sent: number
}

/** Asked by a controller that looks at how a file begins, before any of it is fetched. */
function isLook({ range }: Asked): boolean {
  return range === 'bytes=0-65535'
}

/** @returns bytes of one file: all that were sent to who fetches it, and of how many different offsets. The same: none was sent twice. */
export function bytesSent(asked: readonly Asked[], file: string): { readonly sent: number; readonly distinct: number } {
  const ranges = asked
    .filter((one) => one.file === file && (one.status === 200 || one.status === 206) && !isLook(one))
    .map(({ from, sent }) => ({ from, to: from + sent }))
    .toSorted((a, b) => a.from - b.from)
  let distinct = 0
  let end = 0
  for (const { from, to } of ranges) {
    distinct += Math.max(0, to - Math.max(from, end))
    end = Math.max(end, to)
  }
  return { sent: ranges.reduce((sum, { from, to }) => sum + to - from, 0), distinct }
}
