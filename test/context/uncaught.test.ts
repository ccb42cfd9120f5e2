import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { watchUncaught } from '../../src/context/uncaught.ts'

function watched() {
  const heard: string[] = []
  const program = new EventEmitter()
  const uncaught = watchUncaught(program, {
    say: (error, then) => heard.push(`${String(error)}: ${then}`),
    giveUp: () => heard.push('gives up'),
    endNow: () => heard.push('ends'),
  })
  return { program, uncaught, heard }
}

describe('an uncaught exception', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout'] }))
  afterEach(() => vi.useRealTimers())

  it('ends the run as an interrupt does, and says what it is', () => {
    const { program, uncaught, heard } = watched()
    expect(uncaught.happened()).toBe(false)
    program.emit('uncaughtException', new TypeError('of a library'))
    expect(heard).toEqual([expect.stringMatching(/^TypeError: of a library: .*finished or rolled back/), 'gives up'])
    expect(uncaught.happened()).toBe(true)
  })

  it('ends the program when it is the second', () => {
    const { program, heard } = watched()
    program.emit('uncaughtException', 'one')
    program.emit('uncaughtException', 'two')
    expect(heard.slice(2)).toEqual([expect.stringMatching(/the second one/), 'ends'])
  })
})
