import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { keysIn } from '../../src/progress/keys.ts'
import { LiveScreen } from '../../src/progress/live-screen.ts'
import { afterKey } from '../../src/run/watch/live-keys.ts'

function aTerminal() {
  const written: string[] = []
  const stream = { isTTY: true, columns: 80, rows: 24, write: (text: string) => written.push(text) > 0 }
  const out = Object.assign(new EventEmitter(), stream)
  const err = Object.assign(new EventEmitter(), stream)
  const raw: boolean[] = []
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => raw.push(on) > 0 && stdin })
  return { written, raw, out, err, stdin, streams: { out, err, stdin } as never }
}

describe('the screen of a live table', () => {
  it('gives back the terminal, once, and what others said', () => {
    const { written, raw, out, err, stdin, streams } = aTerminal()
    const said: string[] = []
    const exits = process.listenerCount('exit')
    const screen = new LiveScreen(streams, { key: () => undefined, redraw: () => undefined, notice: (text) => said.push(text) })
    err.write('nas: a notice\n')
    screen.close()
    screen.close()
    expect(raw).toEqual([true, false])
    expect(written.join('')).toBe('\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?7h\u001b[?25h\u001b[?1049l')
    expect(said).toEqual(['nas: a notice\n'])
    expect([process.listenerCount('exit'), out.listenerCount('resize'), stdin.listenerCount('data')]).toEqual([exits, 0, 0])
  })

  it('writes untrusted lines only through the writer it is given', () => {
    const { written, streams } = aTerminal()
    const screen = new LiveScreen(streams, { key: () => undefined, redraw: () => undefined, notice: () => undefined })
    written.length = 0
    const lines: string[] = []
    screen.draw(['one', 'two'], (line) => lines.push(line))
    screen.close()
    expect(lines).toEqual(['one', 'two'])
    expect(written.join('')).not.toMatch(/one|two/)
  })

  it('reads keys, several at a time', () => {
    const { stdin, streams } = aTerminal()
    const keys: string[] = []
    const screen = new LiveScreen(streams, { key: (name) => keys.push(name), redraw: () => undefined, notice: () => undefined })
    stdin.emit('data', Buffer.from('\u001b[A\u001b[B\u001bOBj\u001b[6~q'))
    screen.close()
    expect(keys).toEqual(['up', 'down', 'down', 'down', 'page-down', 'q'])
  })
})

it.each([
  ['toString', ['t', 'o', 'S', 't', 'r', 'i', 'n', 'home']],
  ['\u001b', ['escape']],
  ['書', ['書']],
])('the keys in %j', (text, keys) => expect(keysIn(text).slice(0, keys.length)).toEqual(keys))

describe('a key', () => {
  const size = { count: 30, page: 10 }
  it.each([
    ['down', 3, 4],
    ['up', 0, 0],
    ['page-down', 25, 29],
    ['page-up', 25, 15],
    ['home', 25, 0],
    ['end', 0, 29],
    ['constructor', 5, 5],
  ])('%s moves the selection from %i to %i', (key, from, to) => {
    expect(afterKey({ selected: from, help: false }, key, size)).toMatchObject({ selected: to })
  })

  it('selects nothing where there is nothing', () => {
    expect(afterKey({ selected: 0, help: false }, 'end', { count: 0, page: 5 })).toMatchObject({ selected: 0 })
  })

  it.each([
    ['q', 'quit'],
    ['l', 'logs'],
    ['r', 'restart'],
    ['o', 'report'],
  ])('%s asks for %s', (key, end) => expect(afterKey({ selected: 0, help: false }, key, size)).toBe(end))

  it('closes the help, and acts only then', () => {
    const help = afterKey({ selected: 3, help: false }, '?', size)
    expect(help).toEqual({ selected: 3, help: true })
    expect(afterKey({ selected: 3, help: true }, 'r', size)).toEqual({ selected: 3, help: false })
  })
})
