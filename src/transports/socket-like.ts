import { Duplex } from 'node:stream'

/**
 * A stream of its own over a channel, with the methods of a socket that HTTP clients call; what belongs to the connection below is not
 * the stream's to change.
 *
 * A channel of ssh2 is not quite a stream: destroyed, it is not `destroyed`, and who begins to listen when the other side has closed it
 * already hears of the close before the end. undici then throws where nobody catches. Of this one, as of every socket, `close` is the last
 * that is heard.
 */
export function socketLike(channel: Duplex): Duplex {
  const socket: Duplex = new Duplex({
    read: () => void channel.resume(),
    write: (chunk: Buffer, encoding, done) => void channel.write(chunk, encoding, done),
    final: (done) => void channel.end(done),
    destroy: (error, done) => {
      channel.destroy()
      // ssh2 says that a channel is closed, and forgets it, only once it was read to its end.
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

/** What came before the other side closed is still read. */
function readBeforeClosed(socket: Duplex): void {
  if (socket.destroyed) return
  if (socket.readableEnded) {
    socket.destroy()
    return
  }
  socket.once('end', () => socket.destroy())
  socket.push(null)
}
