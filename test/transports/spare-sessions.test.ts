import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { ProcessEnd, RemoteProcess } from '../../src/transports/remote/remote-process.ts'
import { createSpareSessions } from '../../src/transports/spare-sessions.ts'

interface Opened {
  readonly line: string
  readonly process: RemoteProcess
  readonly end: () => void
  isAbandoned: boolean
}

/** A server of which the test sees every session. */
function aServer(isRefusing = false) {
  const opened: Opened[] = []
  const spares = createSpareSessions(async (line) => {
    await turn()
    if (isRefusing) throw new Error('no more sessions')
    const { promise: closed, resolve } = Promise.withResolvers<ProcessEnd>()
    const one: Opened = {
      line,
      process: {
        stdin: new PassThrough(),
        stdout: new PassThrough(),
        stderr: new PassThrough(),
        flow: { pause: () => undefined, resume: () => undefined },
        closed,
        abandon: () => {
          one.isAbandoned = true
        },
      },
      end: () => resolve({ exitCode: 0 }),
      isAbandoned: false,
    }
    opened.push(one)
    return one.process
  })
  return { opened, spares, at: (index: number) => opened[index]?.process }
}

describe('sessions in advance', () => {
  it('are none until a script says that others follow, and then two of its kind', async () => {
    const { opened, spares, at } = aServer()
    spares.refill('plain', false)
    expect(await spares.take('plain')).toBeUndefined()
    spares.refill('plain', true)
    spares.refill('plain', true)
    expect(await spares.take('other')).toBeUndefined()
    expect(await spares.take('plain')).toBe(at(0))
    spares.refill('plain', false)
    expect(await spares.take('plain')).toBe(at(1))
    expect(await spares.take('plain')).toBe(at(2))
    expect(await spares.take('plain')).toBeUndefined()
    expect(opened.map(({ line }) => line)).toEqual(['plain', 'plain', 'plain'])
  })

  it('are not used when they have ended meanwhile', async () => {
    const { opened, spares, at } = aServer()
    spares.refill('plain', true)
    await turn()
    await turn()
    opened[0]?.end()
    expect(await spares.take('plain')).toBe(at(1))
  })

  it('are only missing where the server refuses them', async () => {
    const { spares } = aServer(true)
    spares.refill('plain', true)
    expect(await spares.take('plain')).toBeUndefined()
  })

  it('keep nothing of what the host prints, and are given up when that is much', async () => {
    const { opened, spares, at } = aServer()
    spares.refill('plain', true)
    await turn()
    await turn()
    const [loud, quiet] = opened
    if (!(loud?.process.stdout instanceof PassThrough) || !(quiet?.process.stdout instanceof PassThrough))
      throw new Error('no session')
    quiet.process.stdout.write('welcome\n')
    for (let count = 0; count < 70; count++) loud.process.stdout.write(Buffer.alloc(1024))
    await turn()
    expect([loud.process.stdout.readableLength, quiet.process.stdout.readableLength]).toEqual([0, 0])
    expect([loud.isAbandoned, quiet.isAbandoned]).toEqual([true, false])
    expect(await spares.take('plain')).toBe(at(1))
  })

  it('are not handed out when they are closed before they are open', async () => {
    const { opened, spares } = aServer()
    spares.refill('plain', true)
    const taken = spares.take('plain')
    spares.stop()
    expect(await taken).toBeUndefined()
    expect(opened.every(({ isAbandoned }) => isAbandoned)).toBe(true)
  })

  it('are closed when they are in the way of others, also those that are being opened', async () => {
    const { opened, spares } = aServer()
    spares.refill('plain', true)
    spares.stop()
    spares.refill('plain', true)
    await turn()
    await turn()
    expect(opened.map(({ isAbandoned }) => isAbandoned)).toEqual([true, true])
    expect(await spares.take('plain')).toBeUndefined()
  })
})
