import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { socketLike } from '../../src/transports/socket-like.ts'
import { httpTo } from '../../src/verify/http-probe.ts'
import { shTransport } from '../support/sh-transport.ts'

interface Channel extends Duplex {
  /** What the other side sends before it closes, which it does at once. */
  closesAfter(...words: readonly string[]): Channel
}

const closes = (stream: Duplex) => stream.once('end', () => stream.emit('close'))

/** As ssh2's behaves: destroying it asks the other side to close it, and the side that first notices the end reports the close. */
function channel(): Channel {
  const stream: Duplex = new Duplex({
    autoDestroy: false,
    emitClose: false,
    read: () => undefined,
    write: (_chunk, _encoding, done) => done(),
  })
  const destroy = () => {
    if (stream.listenerCount('end') === 0) closes(stream)
    stream.push(null)
    return stream
  }
  const closesAfter = (...words: readonly string[]): Channel => {
    closes(stream)
    for (const word of words) stream.push(word)
    stream.push(null)
    return whole
  }
  const whole = Object.assign(stream, { destroy, closesAfter })
  return whole
}

const forward = async () => socketLike(channel().closesAfter())

describe('a channel as a socket', () => {
  it('that the other side closed early is no exception but a missing answer', async () => {
    await using transport = await shTransport()
    expect(await httpTo({ ...transport, forward }, 1)({ path: '/', timeoutMs: 5000 })).toMatchObject({ kind: 'closed' })
  })

  it('is read to its end before it is closed, and reports its end first', async () => {
    const socket = socketLike(channel().closesAfter('a', 'b'))
    const heard: string[] = []
    for (const event of ['end', 'close']) socket.on(event, () => heard.push(event))
    socket.on('data', (chunk: Buffer) => heard.push(chunk.toString()))
    await once(socket, 'close')
    expect(heard).toEqual(['a', 'b', 'end', 'close'])
  })

  it('that is destroyed is closed at once, whatever the other side does, and its channel is read to its end', async () => {
    const below = channel()
    const closed = once(below, 'end')
    below.push('unread')
    const socket = socketLike(below)
    socket.destroy()
    await once(socket, 'close')
    expect(socket.destroyed).toBe(true)
    await closed
  })

  it('stops reading while its data is not consumed', async () => {
    const below = channel()
    const socket = socketLike(below)
    for (let n = 0; n < 100; n += 1) below.push(Buffer.alloc(16_384))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(socket.readableLength).toBeLessThan(200_000)
    let size = 0
    socket.on('data', (chunk: Buffer) => (size += chunk.length))
    below.push(null)
    await once(socket, 'end')
    expect(size).toBe(1_638_400)
  })
})
