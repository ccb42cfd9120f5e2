import { expect, test } from 'vitest'
import { lineReader } from '../../src/logs/line-reader.ts'

const at = (second: number, text: string) => `2026-11-01T10:00:0${second}.000000000Z ${text}`

test('a line of the journal loses its head, and further lines of an entry lose as much', () => {
  const read = lineReader({ in: 'journal', unit: 'flagship.service' })
  expect(read('   a line before any entry')).toEqual({ text: '   a line before any entry' })
  const time = '2026-11-01T10:00:00.123456Z'
  expect(read('1793527200.123456 python3[4035]: Traceback: here')).toEqual({ time, text: 'Traceback: here' })
  expect(read(`${' '.repeat('1793527200.123456 python3[4035]: '.length)}  File "x"`)).toEqual({ time, text: '  File "x"' })
  expect(read('1793527201.000000 kernel: Out of memory')).toEqual({ time: '2026-11-01T10:00:01.000000Z', text: 'Out of memory' })
  expect(read('1793527201.000000 systemd[1]: Stopped.')).toMatchObject({ text: 'Stopped.' })
})

test('a line of a container has its time, and what was shown before is not shown again', () => {
  const read = lineReader({ in: 'container', docker: '/usr/bin/docker', name: 'coder' })
  expect(read(at(2, 'two'))).toEqual({ time: '2026-11-01T10:00:02.000000000Z', text: 'two' })
  // Its two streams are not in order.
  expect(read(at(1, 'one'))).toMatchObject({ text: 'one' })
  expect(read(at(3, 'three'))).toMatchObject({ text: 'three' })
  expect([at(2, 'two'), '=resume', at(2, 'two'), at(3, 'three'), at(4, 'four'), at(4, 'four too')].map(read)).toEqual([
    expect.objectContaining({ text: 'two' }),
    undefined,
    undefined,
    expect.objectContaining({ text: 'three' }),
    expect.objectContaining({ text: 'four' }),
    expect.objectContaining({ text: 'four too' }),
  ])
  expect(read('Error response from daemon: no')).toBe('Error response from daemon: no')
  expect(read('2026-11-01T10:00:05+01:00')).toEqual({ time: '2026-11-01T10:00:05+01:00', text: '' })
})

test('a line of a file is as it is', () => {
  expect(lineReader({ in: 'file', path: '/x' })('2026-11-01T10:00:00Z x')).toEqual({ text: '2026-11-01T10:00:00Z x' })
})
