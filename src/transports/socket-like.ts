import { Duplex } from 'node:stream'

/**
 * Wraps a channel in its own stream, with the methods of a socket that HTTP clients call; they must not change the connection below.
 *
 * A channel of ssh2 does not quite behave like a stream: destroyed, it is not `destroyed`, and a listener that is added after the other side
 * closed it gets `close` before `end`. undici then throws an uncatchable error. This stream, like every socket, emits `close` last.
 */
export function socketLike(channel: Duplex): Duplex {
  const socket: Duplex = new Duplex({
    read: () => void channel.resume(),
    write: (chunk: Buffer, encoding, done) => void channel.write(chunk, encoding, done),
    final: (done) => void channel.end(done),
    destroy: (error, done) => {
      channel.destroy()
      // ssh2 reports a channel as closed, and frees it, only after it was read to its end.
      channel.resume()
      done(error)
    },
  })
  channel.on('data', (chunk: Buffer) => {
    if (!socket.destroyed && !socket.push(chunk)) channel.pause()
  })
  channel.once('end', () => socket.destroyed || socket.push(null))
  channel.once('close', () => readBeforeClosed(socket))
  channel.on('error', (error: Error) => socket.destroy(error))
  const same = (): Duplex => socket
  return Object.assign(socket, { setNoDelay: same, setKeepAlive: same, setTimeout: same, ref: same, unref: same })
}

/** Data that arrived before the close is still delivered. */
function readBeforeClosed(socket: Duplex): void {
  if (socket.destroyed) return
  if (socket.readableEnded) {
    socket.destroy()
    return
  }
  socket.once('end', () => socket.destroy())
  socket.push(null)
}
