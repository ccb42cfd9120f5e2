import type { Duplex } from 'node:stream'

/** Gives a stream the methods of a socket that HTTP clients call; what belongs to the connection below is not the stream's to change. */
export function socketLike(stream: Duplex): Duplex {
  const same = (): Duplex => stream
  const end = stream.destroy.bind(stream)
  const destroy = (error?: Error): Duplex => {
    end(error)
    readOut(stream)
    return stream
  }
  return Object.assign(stream, { destroy, setNoDelay: same, setKeepAlive: same, setTimeout: same, ref: same, unref: same })
}

/**
 * ssh2 says that a channel is closed only once it was read to its end. Who destroys a socket reads no more, and undici waits for
 * that word before it connects again: without this, for ever. `resume()` would not do while somebody listens for `readable`.
 */
function readOut(stream: Duplex): void {
  const read = (): void => {
    while (stream.read() !== null);
  }
  stream.on('readable', read)
  read()
}
