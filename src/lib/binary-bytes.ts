import prettyBytes from 'pretty-bytes'

/** `48.2 GiB`, for people. */
export function binaryBytes(bytes: number): string {
  return prettyBytes(bytes, { binary: true })
}
