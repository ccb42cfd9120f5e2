import { describe, expect, it } from 'vitest'
import { readPulse } from '../../src/facts/pulse.ts'

const fields = (state: string, start: number) => `${state} ${'1 '.repeat(18)}${start} 0`
const memory = 'memory\nMemTotal: 1000\nMemAvailable: 400\nend 0\n'

describe('a pulse of a Linux host', () => {
  it('has memory and the processes that live', () => {
    const text = `process 7 2048 ${fields('S', 123)}\nprocess 8 0 ${fields('Z', 124)}\n${memory}`
    expect(readPulse(text, 'linux')).toEqual({
      known: true,
      value: {
        memory: { known: true, value: { totalBytes: 1_024_000, availableBytes: 409_600 } },
        processes: { known: true, value: new Map([[7, { start: '123', rssBytes: 2_097_152 }]]) },
      },
    })
  })

  it.each([
    ['nothing', ''],
    ['a part', `process 7 2048 ${fields('S', 123)}\nmemory\nMemTotal: 1000\n`],
    ['a line of another program', `Last login: yesterday\n${memory}`],
    ['a process without numbers', `process x y z\n${memory}`],
    ['a line that does not end', `process 7 2048 ${'9'.repeat(100_000)}\n${memory}`],
  ])('is unknown where the host says %s', (_, text) => {
    expect(readPulse(text, 'linux').known).toBe(false)
  })

  it('has no processes where the account sees only its own', () => {
    expect(readPulse(`hidden\n${memory}`, 'linux')).toMatchObject({
      known: true,
      value: { processes: { known: false }, memory: { known: true } },
    })
  })

  it('knows the processes where only the memory is unreadable', () => {
    const pulse = readPulse(`process 7 2048 ${fields('S', 123)}\nmemory\nend 1\n`, 'linux')
    expect(pulse).toMatchObject({ known: true, value: { memory: { known: false } } })
  })
})

it('of a Mac has the start as the probe reads it', () => {
  const sizes = 'hw.memsize: 34359738368\n'
  const stat =
    'Mach Virtual Memory Statistics: (page size of 16384 bytes)\nPages free: 1000.\nPages active: 1.\nPages inactive: 1.\nPages speculative: 1.\nPages purgeable: 1.\nFile-backed pages: 1.\n'
  const pulse = readPulse(`process 412 512 Thu Nov  5 10:11:12 2026    \nmemory\n${sizes}${stat}end 0\n`, 'macos')
  expect(pulse).toMatchObject({
    known: true,
    value: { processes: { value: new Map([[412, { start: 'Thu Nov 5 10:11:12 2026', rssBytes: 524_288 }]]) } },
  })
})
