import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { watchInterrupts } from '../../src/context/interrupts.ts'

function watched(verb = 'apply') {
  const said: string[] = []
  const ended: number[] = []
  const program = Object.assign(new EventEmitter(), { stderr: { write: (text: string) => said.push(text) } })
  const interrupts = watchInterrupts(program, (code) => ended.push(code), verb)
  const state = () => ({ signal: interrupts.signal.aborted, force: interrupts.force.aborted, ended: ended.length > 0 })
  return { program, interrupts, said, ended, state }
}

describe('an interrupt', () => {
  it('once begins nothing new, twice ends what is in flight, three times ends converge; each says what it does', () => {
    const { program, said, ended, state } = watched()
    program.emit('SIGINT')
    expect(state()).toEqual({ signal: true, force: false, ended: false })
    program.emit('SIGTERM')
    expect(state()).toEqual({ signal: true, force: true, ended: false })
    program.emit('SIGINT')
    expect(ended).toEqual([130])
    const words = [
      /nothing new is started[^]*rolled back/,
      /ended now, without a rollback/,
      /outcome of the current steps is unknown/,
    ]
    expect(said).toEqual(words.map((one) => expect.stringMatching(one)))
  })

  it('from the keyboard is for another program while that has the terminal; others are not', async () => {
    const { program, interrupts, said, state } = watched('status')
    await interrupts.ignoreDuring(async () => program.emit('SIGINT'))
    expect([state().signal, said]).toEqual([false, []])
    await interrupts.ignoreDuring(async () => program.emit('SIGTERM'))
    expect(state()).toEqual({ signal: true, force: false, ended: false })
    await expect(interrupts.ignoreDuring(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    program.emit('SIGINT')
    expect(state().force).toBe(true)
  })

  it.each([
    ['plan', /no host was changed/],
    ['fetch', /continue on their hosts/],
    ['constructor', /no host was changed/],
  ])('of %s says what it means there', (verb, first) => {
    const { program, said } = watched(verb)
    program.emit('SIGINT')
    expect(said[0]).toMatch(first)
  })

  it('by a terminal that is closed is a first one, however often it comes', () => {
    const { program, said, state } = watched()
    program.emit('SIGHUP')
    program.emit('SIGHUP')
    program.emit('SIGHUP')
    expect(state()).toEqual({ signal: true, force: false, ended: false })
    expect(said).toHaveLength(1)
    program.emit('SIGTERM')
    expect(state()).toEqual({ signal: true, force: true, ended: false })
  })

  it('is ignored once the work is done', () => {
    const { program, interrupts, state } = watched()
    interrupts.stop()
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) expect(program.emit(name)).toBe(false)
    expect(state()).toEqual({ signal: false, force: false, ended: false })
  })
})
