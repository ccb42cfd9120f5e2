import type { Duplex } from 'node:stream'

/** Gives a stream the methods of a socket that HTTP clients call; what belongs to the connection below is not the stream's to change. */
export function socketLike(stream: Duplex): Duplex {
  const same = (): Duplex => stream
  return Object.assign(stream, { setNoDelay: same, setKeepAlive: same, setTimeout: same, ref: same, unref: same })
}
